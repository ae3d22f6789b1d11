internal import AtollObjects

/// Passes objects that are points within a region.
///
/// A point is an object whose `type` spells Point, in any case, and whose list of coordinates
/// begins with a longitude and a latitude.
final class GeoTest: RowTest {
  private let type: ColumnTest
  private let coordinates: Column
  private let region: GeoRegion
  private let shapeText: String

  init(_ search: BoundGeoWithin, _ execution: Execution) {
    type = ColumnTest(
      search.type, .compare(.equal, .string("Point"), folding: .ignoringCase), execution)
    coordinates = search.coordinates
    region = search.region
    shapeText = search.shapeText
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    let view = try leaf.column(coordinates)
    let values = view.values
    guard let counts = view.counts, let numbers = values.fixed else {
      rows.fill(leaf.rowCount, false)
      return
    }
    try type.narrow(rows, in: leaf)
    var element = 0
    // The row whose elements begin at `element`.
    var passed = 0
    try rows.filter { row in
      // The counts were checked to be small and not negative.
      for other in passed..<row { element += Int(counts[other]) }
      passed = row
      if let external = view.external, external.find(row) != nil {
        return contains(RowEvaluator.elements(try view.value(row)))
      }
      guard counts[row] >= 2, !values.isNull(element), !values.isNull(element + 1) else {
        return false
      }
      return region.contains(
        longitude: numbers.load(element, as: Double.self),
        latitude: numbers.load(element + 1, as: Double.self))
    }
  }

  private func contains(_ elements: [Value]) -> Bool {
    guard elements.count >= 2, case .double(let longitude) = elements[0],
      case .double(let latitude) = elements[1]
    else { return false }
    return region.contains(longitude: longitude, latitude: latitude)
  }

  override var cost: Double { 150 }
  override var selectivity: Double { min(0.99, max(0.01, region.areaFraction)) }
  override var summary: String { "a point within \(shapeText)" }
}
