import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import simulate

/// When what two devices inserted at one place counts as mixed.
@Suite(.computing) struct ListRunsTests {
  private static let a = ListHistory.Line(device: 0, life: 0, client: 1)
  private static let b = ListHistory.Line(device: 1, life: 0, client: 2)

  private static func ids(_ client: UInt64, _ range: Range<UInt32>) -> [ElementID] {
    range.map { ElementID(client: client, number: 1, index: $0) }
  }

  /// Elements that both know, and those of each device.
  private static let common = ids(9, 0..<2)
  private static let first = ids(1, 0..<3)
  private static let second = ids(2, 0..<2)

  private static func mixed(
    _ views: [ListHistory.View], _ end: [ElementID], moved: Set<ElementID> = []
  ) -> Bool {
    var lines: [ElementID: ListHistory.Line] = [:]
    for id in first { lines[id] = a }
    for id in second { lines[id] = b }
    return ListRuns(lines: lines, moved: moved).mixed(views, end) != nil
  }

  private static func view(
    _ line: ListHistory.Line, _ before: [ElementID], _ after: [ElementID]
  ) -> ListHistory.View {
    ListHistory.View(
      line: line, before: [common[0]] + before + [common[1]],
      after: [common[0]] + after + [common[1]])
  }

  private static let mixedEnd =
    [common[0], first[0], second[0], first[1], second[1], first[2], common[1]]

  @Test func runsOfOneTransactionAreTold() {
    let views = [Self.view(Self.a, [], Self.first), Self.view(Self.b, [], Self.second)]
    #expect(Self.mixed(views, Self.mixedEnd))
    #expect(!Self.mixed(views, [Self.common[0]] + Self.first + Self.second + [Self.common[1]]))
    #expect(!Self.mixed(views, [Self.common[0]] + Self.second + Self.first + [Self.common[1]]))
  }

  @Test func runsOfSeveralTransactionsAreTold() {
    let views = [
      Self.view(Self.a, [], [Self.first[0]]),
      Self.view(Self.b, [], Self.second),
      Self.view(Self.a, [Self.first[0]], Self.first),
    ]
    #expect(Self.mixed(views, Self.mixedEnd))
  }

  /// What a device inserted among elements that it knew may lie where those were.
  @Test func whatWasKnownIsNotConcurrent() {
    let views = [
      Self.view(Self.a, [], Self.first),
      Self.view(Self.b, Self.first, []),
      Self.view(Self.b, [], Self.second),
    ]
    #expect(!Self.mixed(views, Self.mixedEnd))
  }

  /// Something stood between them that is gone.
  @Test func placesThatWereTwoAreNotOne() {
    let other = Self.ids(5, 0..<1)
    let views = [
      Self.view(Self.a, other, [Self.first[0]] + other),
      Self.view(Self.a, [Self.first[0]] + other, Self.first),
      Self.view(Self.b, [], Self.second),
    ]
    #expect(!Self.mixed(views, Self.mixedEnd))
  }

  @Test func movedElementsDoNotCount() {
    let views = [Self.view(Self.a, [], Self.first), Self.view(Self.b, [], Self.second)]
    #expect(!Self.mixed(views, Self.mixedEnd, moved: [Self.first[1]]))
  }
}
