/// A place on the unit sphere: the direction from its centre.
///
/// The axes lead to (longitude 0, latitude 0), to (90, 0) and to the north pole. Coordinates are
/// whole multiples of 2⁻⁵³ (0.7 nanometres on the Earth), so that signs of determinants can be
/// computed exactly with integers.
struct SpherePoint: Hashable, Sendable {
  let x: Double
  let y: Double
  let z: Double

  /// The place at a longitude and a latitude in degrees, which are finite.
  init(longitude: Double, latitude: Double) {
    let (sineOfLongitude, cosineOfLongitude) = Trigonometry.sineAndCosine(degrees: longitude)
    let (sineOfLatitude, cosineOfLatitude) = Trigonometry.sineAndCosine(degrees: latitude)
    x = Self.onGrid(cosineOfLatitude * cosineOfLongitude)
    y = Self.onGrid(cosineOfLatitude * sineOfLongitude)
    z = Self.onGrid(sineOfLatitude)
  }

  /// The direction of a vector; nil when it is too short to have one.
  init?(direction vector: Vector) {
    let length = vector.length
    guard length > 1e-14 else { return nil }
    x = Self.onGrid(vector.x / length)
    y = Self.onGrid(vector.y / length)
    z = Self.onGrid(vector.z / length)
  }

  private static func onGrid(_ value: Double) -> Double {
    // Adding zero makes the negative zero a positive one.
    min(1, max(-1, (value * 0x1p53).rounded() * 0x1p-53)) + 0
  }

  var vector: Vector { Vector(x: x, y: y, z: z) }

  /// The square of the straight distance to another place, from 0 to 4.
  @inline(__always)
  func squaredChord(to other: SpherePoint) -> Double {
    let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
    return dx * dx + dy * dy + dz * dz
  }

  /// Whether the place lies opposite `other`.
  func isOpposite(_ other: SpherePoint) -> Bool { x == -other.x && y == -other.y && z == -other.z }
}

/// A vector of any length, rounded as floating-point numbers are.
struct Vector: Sendable {
  var x: Double
  var y: Double
  var z: Double

  /// The coordinate of an axis: 0, 1 or 2.
  subscript(axis: Int) -> Double { axis == 0 ? x : axis == 1 ? y : z }

  @inline(__always)
  func dot(_ p: SpherePoint) -> Double { x * p.x + y * p.y + z * p.z }

  @inline(__always)
  func dot(_ v: Vector) -> Double { x * v.x + y * v.y + z * v.z }

  func cross(_ v: Vector) -> Vector {
    Vector(x: y * v.z - z * v.y, y: z * v.x - x * v.z, z: x * v.y - y * v.x)
  }

  static func + (a: Vector, b: Vector) -> Vector {
    Vector(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z)
  }

  static func - (a: Vector, b: Vector) -> Vector {
    Vector(x: a.x - b.x, y: a.y - b.y, z: a.z - b.z)
  }

  var length: Double { dot(self).squareRoot() }
}
