internal import AtollQuery
internal import AtollStorage

/// Which elements of a list have the same key: the sections, in the order in which their keys come
/// first in the list.
///
/// Invariant: the runs cover the list without gaps; neighbours have different keys, and each
/// section has one run at least.
struct SectionLayout<Key: Hashable> {
  /// Neighbours in the list with the same key.
  private struct Run {
    let section: Int
    /// The place of the first in the list.
    let start: Int
    /// How many elements of the section come before it.
    let offset: Int
    var count: Int
  }

  /// A key as a section has it: all that are not equal to themselves, as NaN, are one.
  private struct SectionKey: Hashable {
    let key: Key

    private var isItself: Bool { key == key }

    static func == (a: Self, b: Self) -> Bool { a.key == b.key || !a.isItself && !b.isItself }

    func hash(into hasher: inout Hasher) { if isItself { hasher.combine(key) } }
  }

  private var runs: [Run] = []
  /// The runs of each section, ascending.
  private var runsOfSections: [[Int]] = []
  private var indexes: [SectionKey: Int] = [:]
  /// The key of each section.
  private(set) var keys: [Key] = []
  /// The number of elements of each section.
  private(set) var counts: [Int] = []

  /// The number of elements of all sections.
  var elementCount: Int { runs.last.map { $0.start + $0.count } ?? 0 }

  /// The section with this key; nil when no element has it.
  func section(of key: Key) -> Int? { indexes[SectionKey(key: key)] }

  /// Asks for the key of each element.
  init(count: Int, _ key: (Int) -> Key) {
    for place in 0..<count { append(key(place), count: 1) }
  }

  private init() {}

  private mutating func append(_ key: Key, count: Int) {
    if let last = runs.last, keys[last.section] == key { return extend(by: count) }
    let sectionKey = SectionKey(key: key)
    if let known = indexes[sectionKey] { return append(section: known, count: count) }
    let section = keys.count
    indexes[sectionKey] = section
    keys.append(key)
    counts.append(0)
    runsOfSections.append([])
    append(section: section, count: count)
  }

  private mutating func append(section: Int, count: Int) {
    if runs.last?.section == section { return extend(by: count) }
    runsOfSections[section].append(runs.count)
    runs.append(
      Run(section: section, start: elementCount, offset: counts[section], count: count))
    counts[section] += count
  }

  private mutating func extend(by count: Int) {
    runs[runs.count - 1].count += count
    counts[runs[runs.count - 1].section] += count
  }

  // MARK: Places

  /// The place in the list of an element of a section.
  ///
  /// - Complexity: A binary search among the runs of the section.
  func place(_ path: SectionPath) -> Int {
    let own = runsOfSections[path.section]
    let next = binarySearch(own.indices) { runs[own[$0]].offset <= path.item }
    let run = runs[own[next - 1]]
    return run.start + path.item - run.offset
  }

  /// The places in the list of all elements of a section.
  func places(of section: Int) -> some Sequence<Int> {
    runsOfSections[section].lazy.flatMap { run in
      runs[run].start..<runs[run].start + runs[run].count
    }
  }

  /// The section of an element of the list, and its place there.
  ///
  /// - Complexity: A binary search among the runs.
  func path(of place: Int) -> SectionPath {
    let run = runs[binarySearch(runs.indices) { runs[$0].start <= place } - 1]
    return SectionPath(section: run.section, item: run.offset + place - run.start)
  }

  // MARK: Changes

  /// Returns the sections of the list after a change of it.
  ///
  /// - Parameters:
  ///   - difference: What has changed in the list. Elements that were modified may have another key.
  ///   - count: The number of elements now.
  ///   - key: Gives the key of an element by its new place.
  /// - Returns: The sections now.
  /// - Complexity: The changes and the runs: a key is asked for each element that is new or modified.
  func applying(
    _ difference: ResultDifference, count: Int, _ key: (Int) -> Key
  ) -> SectionLayout {
    let changed = elementCount - difference.deletions.count + difference.insertions.count
    guard changed == count else { return SectionLayout(count: count, key) }
    if difference.isEmpty { return self }
    var walk = Walk(self, difference)
    for place in difference.insertions {
      walk.keep(until: place, key)
      walk.new.append(key(place), count: 1)
    }
    walk.keep(until: count, key)
    return walk.new
  }

  /// Goes over the elements that stay.
  private struct Walk {
    var new = SectionLayout()
    private let old: SectionLayout
    private var run = 0
    /// The place in the old list of the next element.
    private var place = 0
    private var deletions: ArraySlice<Int>
    private var modifications: ArraySlice<Int>
    /// The new numbers of the old sections.
    private var sections: [Int?]

    init(_ old: SectionLayout, _ difference: ResultDifference) {
      self.old = old
      deletions = difference.deletions[...]
      modifications = difference.modifications[...]
      sections = Array(repeating: nil, count: old.keys.count)
    }

    /// Takes over elements until the new list has so many.
    mutating func keep(until end: Int, _ key: (Int) -> Key) {
      while new.elementCount < end {
        while deletions.first == place {
          deletions.removeFirst()
          place += 1
        }
        while modifications.first.map({ $0 < place }) == true { modifications.removeFirst() }
        if modifications.first == place {
          new.append(key(new.elementCount), count: 1)
          place += 1
          continue
        }
        while old.runs[run].start + old.runs[run].count <= place { run += 1 }
        let next = min(
          old.runs[run].start + old.runs[run].count, place + end - new.elementCount,
          deletions.first ?? .max, modifications.first ?? .max)
        keep(section: old.runs[run].section, count: next - place)
        place = next
      }
    }

    private mutating func keep(section: Int, count: Int) {
      if let known = sections[section] { return new.append(section: known, count: count) }
      let key = old.keys[section]
      new.append(key, count: count)
      sections[section] = new.section(of: key)
    }
  }
}

/// The place of an element in sections.
struct SectionPath: Hashable, Comparable {
  let section: Int
  let item: Int

  static func < (a: Self, b: Self) -> Bool { (a.section, a.item) < (b.section, b.item) }
}
