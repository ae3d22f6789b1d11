internal import AtollCapture
internal import AtollObjects

/// Whether what devices inserted at one place, without knowing of each other, is mixed in the end.
///
/// Two files are compared that know the same elements at some place, and between two of these each
/// has only elements of its own.
struct ListRuns {
  /// The file in which each element was inserted.
  let lines: [ElementID: ListHistory.Line]
  let moved: Set<ElementID>

  /// What a file has inserted between two elements; nil: an end of the list.
  private struct Gap: Hashable {
    var left: ElementID?
    var right: ElementID?
  }

  /// `ids`: the list at the end.
  func mixed(_ views: [ListHistory.View], _ ids: [ElementID]) -> String? {
    let places = Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { a, _ in a })
    let byLine = Dictionary(grouping: views, by: \.line)
    let all = byLine.keys.sorted {
      ($0.device, $0.life, $0.client) < ($1.device, $1.life, $1.client)
    }
    for (index, a) in all.enumerated() {
      for b in all[(index + 1)...] {
        guard let first = byLine[a], let second = byLine[b] else { continue }
        if let found = mixed(first, second, places) {
          return "elements of devices \(a.device) and \(b.device) are mixed: \(found)"
        }
      }
    }
    return nil
  }

  private func mixed(
    _ first: [ListHistory.View], _ second: [ListHistory.View], _ places: [ElementID: Int]
  ) -> String? {
    for (i, a) in first.enumerated() where isLast(i, first) {
      for (j, b) in second.enumerated() where isLast(j, second) {
        let common = Set(a.after).intersection(b.after)
        let others = gaps(b.after, common)
        for (gap, own) in gaps(a.after, common) {
          guard let other = others[gap], !isMoved(gap, own + other) else { continue }
          guard isRun(own, gap, first[...i]), isRun(other, gap, second[...j]),
            !isKnown(own, second[...j]), !isKnown(other, first[...i])
          else { continue }
          let (x, y) = (own.compactMap { places[$0] }, other.compactMap { places[$0] })
          guard let xMin = x.min(), let xMax = x.max(), let yMin = y.min(), let yMax = y.max()
          else { continue }
          if xMax > yMin, yMax > xMin { return "at \(x), and \(y)" }
        }
      }
    }
    return nil
  }

  /// Whether the next view knows more elements of others: views before it say no more.
  private func isLast(_ index: Int, _ views: [ListHistory.View]) -> Bool {
    index + 1 == views.count || views[index + 1].before != views[index].after
  }

  private func gaps(_ list: [ElementID], _ common: Set<ElementID>) -> [Gap: [ElementID]] {
    var gaps: [Gap: [ElementID]] = [:]
    var left: ElementID?
    var between: [ElementID] = []
    for id in list.map(Optional.some) + [nil] {
      if let id, !common.contains(id) {
        between.append(id)
        continue
      }
      if !between.isEmpty { gaps[Gap(left: left, right: id)] = between }
      (left, between) = (id, [])
    }
    return gaps
  }

  private func isMoved(_ gap: Gap, _ own: [ElementID]) -> Bool {
    [gap.left, gap.right].contains { $0.map(moved.contains) ?? false }
      || own.contains(where: moved.contains)
  }

  /// Whether a file ever had one of the elements.
  private func isKnown(_ own: [ElementID], _ views: ArraySlice<ListHistory.View>) -> Bool {
    let own = Set(own)
    return views.contains { view in
      view.before.contains(where: own.contains) || view.after.contains(where: own.contains)
    }
  }

  /// Whether elements between two others are of one file, and there was never anything else there
  /// since the first of them.
  private func isRun(
    _ own: [ElementID], _ gap: Gap, _ views: ArraySlice<ListHistory.View>
  ) -> Bool {
    guard let line = views.last?.line, own.allSatisfy({ lines[$0] == line }) else { return false }
    let own = Set(own)
    for view in views.reversed() {
      for list in [view.after, view.before] {
        guard let between = Self.between(gap, list),
          between.allSatisfy({ lines[$0] == line && !moved.contains($0) })
        else { return false }
        if between.isEmpty, !list.contains(where: own.contains) { return true }
      }
    }
    return false
  }

  private static func between(_ gap: Gap, _ list: [ElementID]) -> ArraySlice<ElementID>? {
    var start = 0
    if let left = gap.left {
      guard let place = list.firstIndex(of: left) else { return nil }
      start = place + 1
    }
    var end = list.count
    if let right = gap.right {
      guard let place = list.firstIndex(of: right) else { return nil }
      end = place
    }
    return start <= end ? list[start..<end] : nil
  }
}
