internal import AtollObjects
internal import AtollQuery
public import Observation

/// The elements of a collection that have one key.
///
/// A section follows its realm: while no element has its key, it is empty and invalidated.
public struct ResultsSection<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
  RealmSectionedResult, Identifiable
{
  public typealias Element = SectionElement

  public let _sections: _SectionedList<Key, SectionElement>

  /// What the elements of the section have in common.
  public let key: Key

  init(_ sections: _SectionedList<Key, SectionElement>, _ key: Key) {
    _sections = sections
    self.key = key
  }

  public var _sectionKey: Key? { key }

  public static func _sectioned(
    _ sections: _SectionedList<Key, SectionElement>, _ key: Key?
  ) -> ResultsSection {
    ResultsSection(sections, key ?? Key._default())
  }

  /// The key, which tells sections apart.
  public var id: Key { key }

  /// The number of elements.
  public var count: Int {
    let layout = _sections.layout
    return layout.section(of: key).map { layout.counts[$0] } ?? 0
  }

  /// Whether no element has the key, or what the collection comes from is gone.
  public var isInvalidated: Bool {
    _sections.list.isInvalidated || _sections.layout.section(of: key) == nil
  }

  /// The element at a place in the section.
  public subscript(index: Int) -> SectionElement {
    let (state, context) = (_sections.state, _sections.list.context)
    guard let section = state.layout.section(of: key), index >= 0,
      index < state.layout.counts[section]
    else {
      context.refuse("index \(index) is out of range of a section of \(count) elements")
      return SectionElement._load(.null, context)
    }
    let place = state.layout.place(SectionPath(section: section, item: index))
    return SectionElement._load(state.elements[place], context)
  }

  /// Goes over the elements that there are now, whatever the loop does to them.
  public func makeIterator() -> RLMIterator<SectionElement> {
    let state = _sections.state
    guard let section = state.layout.section(of: key) else { return RLMIterator([]) }
    return RLMIterator(
      state.elements.elements(at: state.layout.places(of: section)), _sections.list.context)
  }
}

extension ResultsSection: CustomStringConvertible {
  /// A description with the key and the number of elements.
  public var description: String { "ResultsSection(key: \(key), \(count) elements)" }
}

extension Elements {
  /// Those at some places.
  fileprivate func elements(at places: some Sequence<Int>) -> Elements {
    switch self {
    case .objects(let table, let keys): .objects(table: table, KeyList(places.map { keys[$0] }))
    case .values(let values): .values(places.map { values[$0] })
    }
  }
}

@available(*, unavailable, message: "a section belongs to the place that opened its realm")
extension ResultsSection: Sendable {}

extension ResultsSection: Observable {}
