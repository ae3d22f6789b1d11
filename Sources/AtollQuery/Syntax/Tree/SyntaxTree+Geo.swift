extension QuerySyntax {
  /// What stands on the right of `GEOWITHIN`.
  public enum GeoArea: Hashable, Sendable {
    case shape(GeoShape)

    /// The argument is a shape, or a string that holds the text of one.
    case argument(Int)
  }

  /// An area on the sphere, whose numbers are not checked here.
  public enum GeoShape: Hashable, Sendable {
    /// Two opposite corners.
    case box(GeoPoint, GeoPoint)

    /// The radius is in radians.
    case circle(center: GeoPoint, radius: Located<Coordinate>)

    /// The outer ring, then the holes; each ring has at least one point.
    case polygon([[GeoPoint]])
  }

  /// `[longitude, latitude]` in degrees; the altitude plays no part in any test.
  public struct GeoPoint: Hashable, Sendable {
    /// Degrees east of the meridian of Greenwich.
    public var longitude: Located<Coordinate>
    /// Degrees north of the equator.
    public var latitude: Located<Coordinate>
    /// The third number; nil when none is written.
    public var altitude: NumberText?

    public init(
      longitude: Located<Coordinate>, latitude: Located<Coordinate>, altitude: NumberText? = nil
    ) {
      self.longitude = longitude
      self.latitude = latitude
      self.altitude = altitude
    }

    /// The bytes from one coordinate to the other.
    public var range: Range<Int> {
      let lower = longitude.range.lowerBound
      return lower..<max(lower, latitude.range.upperBound)
    }
  }

  /// A number in a shape: an unsigned integer, a float of either sign, or an argument.
  public enum Coordinate: Hashable, Sendable {
    case number(NumberText)
    case argument(Int)
  }
}
