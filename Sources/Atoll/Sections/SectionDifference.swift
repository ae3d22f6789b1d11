internal import AtollQuery
internal import Foundation

/// How sections became others.
///
/// Deletions and modifications are places in the old sections, insertions places in the new ones,
/// all ascending. An element that is in another section, or elsewhere in its own, is deleted and
/// inserted. Of a section that is deleted no elements are named, of one that is inserted all; one
/// that moved is both.
struct SectionDifference {
  private(set) var deletions: [SectionPath] = []
  private(set) var insertions: [SectionPath] = []
  private(set) var modifications: [SectionPath] = []
  private(set) var deletedSections = IndexSet()
  private(set) var insertedSections = IndexSet()

  var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && deletedSections.isEmpty
      && insertedSections.isEmpty
  }

  /// Compares sections.
  ///
  /// - Parameters:
  ///   - old: The sections before.
  ///   - new: The sections now.
  ///   - difference: What has changed in the list of all elements.
  ///   - asked: The places in the old list, ascending, of elements that stay and may have another
  ///     key.
  ///   - modified: The places in the old list of elements that count as modified.
  /// - Complexity: The changes and the sections.
  init<Key>(
    from old: SectionLayout<Key>, to new: SectionLayout<Key>, _ difference: ResultDifference,
    asked: some Sequence<Int>, modified: Set<Int>
  ) {
    compareSections(old, new)
    deletions = difference.deletions.map(old.path)
    insertions = difference.insertions.map(new.path)
    var staying = StayingPlaces(difference)
    for place in asked {
      let (path, newPath) = (old.path(of: place), new.path(of: staying.newPlace(place)))
      if new.section(of: old.keys[path.section]) != newPath.section {
        deletions.append(path)
        insertions.append(newPath)
      } else if modified.contains(place) {
        modifications.append(path)
      }
    }
    deletions.removeAll { deletedSections.contains($0.section) }
    modifications.removeAll { deletedSections.contains($0.section) }
    insertions.removeAll { insertedSections.contains($0.section) }
    for section in insertedSections {
      insertions += (0..<new.counts[section]).map { SectionPath(section: section, item: $0) }
    }
    deletions.sort()
    insertions.sort()
    modifications.sort()
  }

  private mutating func compareSections<Key>(_ old: SectionLayout<Key>, _ new: SectionLayout<Key>) {
    var kept: [(old: Int, new: Int)] = []
    for (index, key) in old.keys.enumerated() {
      if let place = new.section(of: key) {
        kept.append((index, place))
      } else {
        deletedSections.insert(index)
      }
    }
    if kept.count < new.keys.count {
      insertedSections = IndexSet(new.keys.indices).subtracting(IndexSet(kept.map(\.new)))
    }
    let staying = ResultDifference.longestAscending(kept.map(\.new))
    for (pair, stays) in zip(kept, staying) where !stays {
      deletedSections.insert(pair.old)
      insertedSections.insert(pair.new)
    }
  }

  /// Returns the part of it that concerns one section.
  ///
  /// - Parameters:
  ///   - old: The number that the section had; nil when it was not there.
  ///   - new: The number that it has; nil when it is not there.
  /// - Returns: The part; empty when nothing concerns the section.
  func limited(toOld old: Int?, new: Int?) -> SectionDifference {
    var part = self
    part.deletions.removeAll { $0.section != old }
    part.modifications.removeAll { $0.section != old }
    part.insertions.removeAll { $0.section != new }
    part.deletedSections = deletedSections.filteredIndexSet { $0 == old }
    part.insertedSections = insertedSections.filteredIndexSet { $0 == new }
    return part
  }
}

/// Finds the new places of elements that stay in a list, asked in ascending order.
private struct StayingPlaces {
  private var deletions: ArraySlice<Int>
  private var insertions: ArraySlice<Int>
  private var shift = 0

  init(_ difference: ResultDifference) {
    deletions = difference.deletions[...]
    insertions = difference.insertions[...]
  }

  mutating func newPlace(_ place: Int) -> Int {
    while let deleted = deletions.first, deleted < place {
      deletions.removeFirst()
      shift -= 1
    }
    while let inserted = insertions.first, inserted <= place + shift {
      insertions.removeFirst()
      shift += 1
    }
    return place + shift
  }
}
