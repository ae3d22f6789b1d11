/// A length on the Earth, taken as a sphere of the equatorial radius, 6378.1 kilometres.
public struct Distance: Hashable, Sendable {
  /// The angle at the centre of the Earth.
  public let radians: Double

  private static let kilometersInRadian = 6378.1
  private static let kilometersInMile = 1.609344

  private init?(_ radians: Double) {
    guard radians >= 0, radians.isFinite else { return nil }
    self.radians = radians
  }

  /// A number of radians; nil when it is negative or not finite.
  public static func radians(_ radians: Double) -> Distance? { Distance(radians) }

  /// A number of degrees; nil when it is negative or not finite.
  public static func degrees(_ degrees: Double) -> Distance? { Distance(degrees * .pi / 180) }

  /// A number of kilometres; nil when it is negative or not finite.
  public static func kilometers(_ kilometers: Double) -> Distance? {
    Distance(kilometers / kilometersInRadian)
  }

  /// A number of international miles; nil when it is negative or not finite.
  public static func miles(_ miles: Double) -> Distance? {
    Distance(miles * kilometersInMile / kilometersInRadian)
  }

  /// Returns the angle at the centre of the Earth in degrees.
  public func asDegrees() -> Double { radians * 180 / .pi }
  /// Returns the length in kilometres.
  public func asKilometers() -> Double { radians * Self.kilometersInRadian }
  /// Returns the length in international miles.
  public func asMiles() -> Double { asKilometers() / Self.kilometersInMile }
}
