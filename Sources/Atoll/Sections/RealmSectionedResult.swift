/// What sections of a collection, and one of them, have in common.
///
/// They follow their realm, as the collection does.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined
where Index == Int {
  /// The type of the keys, by which elements are in one section or in another.
  associatedtype Key: _Persistable & Hashable
  /// The type of the elements in the sections.
  associatedtype SectionElement: RealmCollectionValue

  /// What it stands on.
  var _sections: _SectionedList<Key, SectionElement> { get }

  /// The key of the section that it is; nil for all sections.
  var _sectionKey: Key? { get }

  /// All sections of a list, or the one that has a key.
  static func _sectioned(_ sections: _SectionedList<Key, SectionElement>, _ key: Key?) -> Self
}

extension RealmSectionedResult {
  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  /// The realm that it belongs to.
  public var realm: Realm? { Realm(_sections.list.context) }

  /// Whether it is of a version that never changes.
  public var isFrozen: Bool { _sections.list.context.isFrozen }

  /// Returns the same in the present version, which never changes and any thread may use.
  public func freeze() -> Self {
    guard let frozen = _sections.frozen() else {
      Misuse.trap("sections of a collection of this kind cannot be frozen")
    }
    return Self._sectioned(frozen, _sectionKey)
  }

  /// Returns the live form of what is frozen.
  ///
  /// - Returns: Nil when what the collection comes from exists no more.
  public func thaw() -> Self? { _moved(to: _sections.list.context.thawed()) }

  public func _moved(to context: _RealmContext) -> Self? {
    _sections.inContext(context).map { Self._sectioned($0, _sectionKey) }
  }

  /// Whether both are the same sections of the same realm; with a block for the keys, whether both
  /// come from the same call.
  public static func == (a: Self, b: Self) -> Bool {
    a._sectionKey == b._sectionKey && a._sections.isSame(as: b._sections)
  }
}
