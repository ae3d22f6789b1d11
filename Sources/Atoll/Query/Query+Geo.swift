public import AtollQuery

public typealias GeoPoint = AtollQuery.GeoPoint
public typealias GeoBox = AtollQuery.GeoBox
public typealias GeoCircle = AtollQuery.GeoCircle
public typealias GeoPolygon = AtollQuery.GeoPolygon
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
