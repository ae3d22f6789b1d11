public import Foundation
public import Observation

/// The elements of a collection in sections, each of which has a key.
///
///     let sections = realm.objects(Person.self).sectioned(by: \.city, sortDescriptors: ["city", "name"])
///     for section in sections { print(section.key, section.count) }
///
/// Elements with the same key are in one section, in the order of the collection; the sections are
/// in the order in which their keys come first there. They follow the realm. A loop goes over the
/// sections that there were at its beginning.
public struct SectionedResults<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
  RealmSectionedResult
{
  public typealias Element = ResultsSection<Key, SectionElement>

  public let _sections: _SectionedList<Key, SectionElement>
  public var _sectionKey: Key? { nil }

  init(_ sections: _SectionedList<Key, SectionElement>) { _sections = sections }

  public static func _sectioned(
    _ sections: _SectionedList<Key, SectionElement>, _ key: Key?
  ) -> SectionedResults { SectionedResults(sections) }

  /// The key of each section.
  public var allKeys: [Key] { _sections.layout.keys }

  /// The number of sections.
  public var count: Int { _sections.layout.keys.count }

  /// Whether what the collection comes from is gone.
  public var isInvalidated: Bool { _sections.list.isInvalidated }

  /// The section at a place.
  public subscript(index: Int) -> ResultsSection<Key, SectionElement> {
    let keys = allKeys
    guard keys.indices.contains(index) else {
      _sections.list.context.refuse("index \(index) is out of range of \(keys.count) sections")
      return ResultsSection(_sections, Key._default())
    }
    return ResultsSection(_sections, keys[index])
  }

  /// The element with the number `item` in the section with the number `section`.
  public subscript(indexPath: IndexPath) -> SectionElement {
    guard indexPath.count == 2 else {
      Misuse.trap("an element of sections has an index path of a section and an item")
    }
    return self[indexPath[0]][indexPath[1]]
  }

  /// Goes over the sections that there are now.
  public func makeIterator() -> IndexingIterator<[ResultsSection<Key, SectionElement>]> {
    allKeys.map { ResultsSection(_sections, $0) }.makeIterator()
  }
}

extension SectionedResults: CustomStringConvertible {
  /// A description of the sections.
  public var description: String {
    "SectionedResults (\(map { "\($0)" }.joined(separator: ", ")))"
  }
}

@available(*, unavailable, message: "sections belong to the place that opened their realm")
extension SectionedResults: Sendable {}

extension SectionedResults: Observable {}
