public import AtollQuery

/// A place on the Earth, in degrees.
public typealias GeoPoint = AtollQuery.GeoPoint
/// The area between two corners, for `geoWithin(_:)`.
public typealias GeoBox = AtollQuery.GeoBox
/// The area within a distance from a place, for `geoWithin(_:)`.
public typealias GeoCircle = AtollQuery.GeoCircle
/// The area within a ring and outside of its holes, for `geoWithin(_:)`.
public typealias GeoPolygon = AtollQuery.GeoPolygon
/// A length on the Earth, as the radius of a circle.
public typealias Distance = AtollQuery.Distance

extension Query {
  /// Whether the place is in a box.
  ///
  /// Places are embedded objects with a string `type`, which is `Point`, and a list of numbers
  /// `coordinates`: longitude and latitude.
  public func geoWithin<Place: EmbeddedObject>(_ value: GeoBox) -> Query<Bool>
  where T == Place? {
    Query<Bool>(tree.within(value.syntax))
  }

  /// Whether the place is in a circle.
  public func geoWithin<Place: EmbeddedObject>(_ value: GeoCircle) -> Query<Bool>
  where T == Place? {
    Query<Bool>(tree.within(value.syntax))
  }

  /// Whether the place is in a polygon.
  public func geoWithin<Place: EmbeddedObject>(_ value: GeoPolygon) -> Query<Bool>
  where T == Place? {
    Query<Bool>(tree.within(value.syntax))
  }
}
