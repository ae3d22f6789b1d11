internal import Atoll
internal import Foundation
internal import TestSupport

// Conditions on objects and places.

extension WhereMaker {
  // MARK: Objects

  /// An object of the realm, or one that no realm manages.
  mutating func anyObject() -> (WhereNode, WhereValue) {
    if chance(25) {
      let object = WhereNode()
      object.id = number(9)
      return (object, .node(-1))
    }
    let place = number(objects.count)
    return (objects[place], .node(place))
  }

  mutating func object() -> WhereCondition {
    let steps = way()
    let isMany = steps.contains(where: \.isMany)
    func test(
      _ query: @escaping (WherePlace) -> Query<Bool>,
      _ test: @escaping (WhereReading, [WhereValue]) -> Bool
    ) -> WhereCondition {
      WhereCondition(
        query: { query($0.following(steps)) },
        holds: { reading, node in
          let links = reading.values(node, steps) { $0.link.map { .node($0) } ?? .null }
          // Behind a collection a null link is no value.
          return test(reading, isMany ? links.filter { !$0.isNull } : links)
        })
    }
    let (object, plain) = anyObject()
    switch number(7) {
    case 0:
      return test({ $0.member(\.link) == object }) { reading, links in
        reading.any(links) { reading.holds(.equal, $0, plain) }
      }
    case 1:
      return test({ $0.member(\.link) != object }) { reading, links in
        reading.any(links) { !reading.holds(.equal, $0, plain) }
      }
    case 2 where !isMany:
      return test({ $0.member(\.link) == nil }) { reading, links in
        reading.any(links) { $0.isNull }
      }
    case 3:
      let others = some(1...2) { $0.anyObject() }
      return test({ $0.member(\.link).in(others.map { $0.0 }) }) { reading, links in
        reading.any(links) { link in
          others.contains { reading.holds(.equal, link, $0.1) }
        }
      }
    case 4:
      return members(steps, { $0.member(\.list).contains(object) }, { $0.list }, [plain])
    case 5:
      let others = some(0...2) { $0.anyObject() }
      return members(
        steps, { $0.member(\.set).containsAny(in: others.map { $0.0 }) }, { $0.set },
        others.map { $0.1 })
    default:
      return members(steps, { $0.member(\.list) == object }, { $0.list }, [plain])
    }
  }

  /// Whether one of some objects is in a collection.
  private func members(
    _ steps: [WhereStep], _ query: @escaping (WherePlace) -> Query<Bool>,
    _ members: @escaping (WhereWorld.Node) -> [Int], _ wanted: [WhereValue]
  ) -> WhereCondition {
    WhereCondition(
      query: { query($0.following(steps)) },
      holds: { reading, node in
        let found = reading.groups(node, steps) { members($0).map { .node($0) } }.flatMap { $0 }
        return reading.any(found) { link in wanted.contains { WhereValue.equal(link, $0) } }
      })
  }

  // MARK: Embedded objects

  mutating func spot() -> WhereCondition {
    let steps = way()
    let wanted = WherePool.ints.any(&random)
    let comparator = any(WhereOperator.allCases)
    let text = WherePool<String>.strings.orNull.any(&random)
    func test(
      _ query: @escaping (WherePlace) -> Query<Bool>,
      _ values: @escaping (WhereWorld.Node) -> [WhereValue], ofNothing: [WhereValue],
      _ wanted: WhereValue
    ) -> WhereCondition {
      WhereCondition(
        query: { query($0.following(steps)) },
        holds: { reading, node in
          let found = reading.reach(node, steps).nodes.flatMap { found in
            found.map { values(reading.nodes[$0]) } ?? ofNothing
          }
          return reading.any(found) { reading.holds(comparator, $0, wanted) }
        })
    }
    // A null link is no value behind a collection, and null elsewhere.
    let null: [WhereValue] = steps.contains(where: \.isMany) ? [] : [.null]
    switch number(4) {
    case 0:
      return test(
        { comparator.query($0.member(\.spot).int, wanted) },
        { $0.spot.map { [$0.values["int"] ?? .null] } ?? null }, ofNothing: null, .int(wanted))
    case 1:
      return test(
        { comparator.query($0.member(\.spot).optString, text) },
        { $0.spot.map { [$0.values["optString"] ?? .null] } ?? null }, ofNothing: null,
        text.map { .string($0) } ?? .null)
    case 2:
      return test(
        { comparator.query($0.member(\.spots).int, wanted) },
        { $0.spots.map { $0.values["int"] ?? .null } }, ofNothing: [], .int(wanted))
    default:
      return WhereCondition(
        query: { $0.following(steps).member(\.spot).ints.contains(wanted) },
        holds: { reading, node in
          let found = reading.groups(node, steps) { $0.spot?.ints ?? [] }.flatMap { $0 }
          return reading.any(found) { reading.holds(.equal, $0, .int(wanted)) }
        })
    }
  }

  /// Whether a point is within a circle that has room for one point of the grid only.
  mutating func place() -> WhereCondition {
    let steps = way()
    let longitude = Double(Int.random(in: -3...3, using: &random)) * 20
    let latitude = Double(Int.random(in: -3...3, using: &random)) * 20
    guard let circle = WhereCircle.around(longitude: longitude, latitude: latitude) else {
      return truth()
    }
    return WhereCondition(
      query: { $0.following(steps).member(\.spot).geoWithin(circle) },
      holds: { reading, node in
        reading.reach(node, steps).nodes.contains { found in
          guard let place = found.flatMap({ reading.nodes[$0].spot?.place }) else { return false }
          return place == (longitude, latitude)
        }
      })
  }
}
