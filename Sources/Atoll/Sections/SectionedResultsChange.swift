public import Foundation

/// What happened to sections.
public enum SectionedResultsChange<CollectionType> {
  /// The sections as they are when the observation begins; comes once.
  case initial(CollectionType)

  /// The sections changed since the last call.
  ///
  /// Deletions and modifications are index paths of the previous state, as sections to delete are
  /// numbers in it; insertions and sections to insert are of the new one; all ascend. An element
  /// that moved is deleted and inserted. The elements of a section that is deleted are not among
  /// the deletions, those of one that is inserted are all among the insertions.
  case update(
    CollectionType, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
    sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)
}

/// The name that it has beside `RealmCollectionChange`.
public typealias RealmSectionedResultsChange = SectionedResultsChange

extension SectionedResultsChange {
  init(_ sections: CollectionType, _ change: SectionChange) {
    switch change {
    case .initial: self = .initial(sections)
    case .update(let difference):
      self = .update(
        sections, deletions: difference.deletions.map(\.indexPath),
        insertions: difference.insertions.map(\.indexPath),
        modifications: difference.modifications.map(\.indexPath),
        sectionsToInsert: difference.insertedSections,
        sectionsToDelete: difference.deletedSections)
    }
  }
}

extension SectionPath {
  fileprivate var indexPath: IndexPath { IndexPath(indexes: [section, item]) }
}

#if !canImport(UIKit) && !canImport(AppKit)
extension IndexPath {
  /// Names an element of a section.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

  /// Names a row of a section, as `init(item:section:)` does.
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

  /// The number of the section.
  public var section: Int {
    get { self[0] }
    set { self[0] = newValue }
  }

  /// The number of the element in its section.
  public var item: Int {
    get { self[1] }
    set { self[1] = newValue }
  }

  /// The number of the element in its section, as `item`.
  public var row: Int {
    get { self[1] }
    set { self[1] = newValue }
  }
}
#endif
