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
    guard let numbers = values.fixed else {
      rows.fill(leaf.rowCount, false)
      return
    }
    try type.narrow(rows, in: leaf)
    try view.filter(rows) { elements in
      switch elements {
      case .inLeaf(let range):
        guard range.count >= 2 else { return false }
        let (longitude, latitude) = (range.lowerBound, range.lowerBound + 1)
        guard !values.isNull(longitude), !values.isNull(latitude) else { return false }
        return region.contains(
          longitude: numbers.load(longitude, as: Double.self),
          latitude: numbers.load(latitude, as: Double.self))
      case .external(let elements): return contains(elements)
      }
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
