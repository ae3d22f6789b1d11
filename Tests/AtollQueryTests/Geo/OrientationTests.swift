import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

@Suite(.computing) struct OrientationTests {
  @Test func placesOfWholeQuartersAreExact() {
    #expect(SpherePoint(longitude: 180, latitude: 0) == SpherePoint(longitude: -180, latitude: 0))
    #expect(SpherePoint(longitude: 7, latitude: 90) == SpherePoint(longitude: -70, latitude: 90))
    #expect(SpherePoint(longitude: 33, latitude: 0).z == 0)
    #expect(SpherePoint(longitude: 90, latitude: 45).x == 0)
    let west = SpherePoint(longitude: -90, latitude: 0)
    #expect(SpherePoint(longitude: 90, latitude: 0).isOpposite(west))
  }

  /// Three places on one great circle, and the nearest ones beside it.
  @Test func theLastBitDecides() {
    let a = SpherePoint(longitude: 10, latitude: 0)
    let b = SpherePoint(longitude: 50, latitude: 0)
    #expect(Orientation.sign(a, b, SpherePoint(longitude: 77, latitude: 0)) == 0)
    // 1e-14 degrees are less than the rounding of a product of coordinates.
    #expect(Orientation.sign(a, b, SpherePoint(longitude: 77, latitude: 1e-14)) == 1)
    #expect(Orientation.sign(a, b, SpherePoint(longitude: 77, latitude: -1e-14)) == -1)
  }

  /// Turning the three round keeps the sign, swapping two changes it, however near they are.
  @Test(arguments: 0..<4 as Range<UInt64>)
  func signsAgreeInEveryOrder(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var decided = 0
    for _ in 0..<2000 {
      let scale = [1e-13, 1e-9, 1e-3, 40][Int.random(in: 0..<4, using: &random)]
      func near() -> SpherePoint {
        SpherePoint(
          longitude: 60 + scale * Double.random(in: -1...1, using: &random),
          latitude: 40 + scale * Double.random(in: -1...1, using: &random))
      }
      let (a, b, c) = (near(), near(), near())
      let sign = Orientation.sign(a, b, c)
      #expect(sign == Orientation.exactSign(a, b, c))
      #expect(Orientation.sign(b, c, a) == sign)
      #expect(Orientation.sign(b, a, c) == -sign)
      #expect(Orientation.sign(a, a, c) == 0)
      if sign != 0 { decided += 1 }
    }
    #expect(decided > 1000)
  }

  @Test func arcsCrossOnceAndNotBehind() {
    func place(_ longitude: Double, _ latitude: Double) -> SpherePoint {
      SpherePoint(longitude: longitude, latitude: latitude)
    }
    #expect(Orientation.arcsCross(place(-5, 0), place(5, 0), place(0, -5), place(0, 5)))
    #expect(!Orientation.arcsCross(place(-5, 0), place(5, 0), place(9, -5), place(9, 5)))
    // The circles meet on the other side of the sphere as well.
    #expect(!Orientation.arcsCross(place(-5, 0), place(5, 0), place(180, -5), place(180, 5)))
    // The antimeridian is a meridian like others.
    #expect(
      Orientation.arcsCross(place(175, 0), place(-175, 0), place(179, -5), place(-179, 5)))
    // A common end is no crossing.
    #expect(!Orientation.arcsCross(place(-5, 0), place(5, 0), place(5, 0), place(5, 5)))
  }

  /// The area of a ring is that of its smaller side.
  @Test func areasAreThoseOfTheSmallerSide() throws {
    func ring(_ places: [(Double, Double)]) -> SphericalRing {
      SphericalRing(places.map { SpherePoint(longitude: $0.0, latitude: $0.1) })
    }
    let octant = [(0.0, 0.0), (90, 0), (0, 90)]
    #expect(abs(ring(octant).areaFraction - 0.125) < 1e-14)
    #expect(abs(ring(octant.reversed()).areaFraction - 0.125) < 1e-14)
    // Seven octants: the eighth is meant.
    let around = ring([(0, -80), (120, -80), (-120, -80)])
    #expect(around.areaFraction < 0.02)
    #expect(around.contains(SpherePoint(longitude: 50, latitude: -89)))
    #expect(!around.contains(SpherePoint(longitude: 50, latitude: 89)))
    // Half of the sphere: the side on the left.
    let northern = ring([(0, 0), (120, 0), (-120, 0)])
    #expect(northern.areaFraction == 0.5)
    #expect(northern.contains(SpherePoint(longitude: 3, latitude: 1)))
    #expect(!northern.contains(SpherePoint(longitude: 3, latitude: -1)))
  }

  /// Wherever a ring lies, also where an axis leaves the sphere and one coordinate tells little.
  @Test(arguments: [
    (0.0, 0.0), (90.0, 0.0), (180.0, 0.0), (-90.0, 0.0), (0.0, 89.0), (0.0, -89.0), (45.0, 30.0),
  ])
  func fewEdgesOfARingAreComparedWithEachOther(longitude: Double, latitude: Double) throws {
    let count = 4000
    let corners = (0..<count).map { index in
      let (sine, cosine) = Trigonometry.sineAndCosine(degrees: 360 * Double(index) / Double(count))
      return SpherePoint(longitude: longitude + cosine / 2, latitude: latitude + sine / 2)
    }
    let compared = try SphericalPolygon.checkCrossings([corners])
    #expect(compared < 64 * count)
  }

  /// The teeth of a comb that lies across all axes: every edge is beside every other.
  @Test func aCombWithTooManyTeethIsRefused() throws {
    let count = 500
    func ring(_ teeth: Int) -> [SpherePoint] {
      let tips = (0..<teeth).flatMap { tooth -> [(Double, Double)] in
        let along = Double(tooth) / Double(teeth)
        return [(along, along), (along - 20, along + 20)]
      }
      return (tips + [(1, 1), (30, 1)]).map { SpherePoint(longitude: 40 + $0.0, latitude: $0.1) }
    }
    let compared = try SphericalPolygon.checkCrossings([ring(count)])
    #expect(compared > count * count / 2)
    #expect(throws: GeoProblem.tooManyEdgesSideBySide(edgeCount: 2 * count + 2)) {
      try SphericalPolygon.checkCrossings([ring(count)], limit: compared - 1)
    }
  }
}
