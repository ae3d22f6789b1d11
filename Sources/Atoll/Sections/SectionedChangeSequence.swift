extension RealmSectionedResult {
  /// Returns the sections as they are, and then each time that they have changed.
  ///
  ///     for await change in sections.changes() { … }
  ///
  /// As `changes(keyPaths:)` of a collection: changes that come while one is being handled are one.
  ///
  /// - Parameter keyPaths: As in `observe(keyPaths:_:)`.
  /// - Returns: A sequence that begins to observe when it is gone over.
  public func changes(keyPaths: [String]? = nil) -> SectionedChangeSequence<Self> {
    _sections.list.context.checkObservable("a sectioned collection")
    return SectionedChangeSequence(sections: self, keyPaths: keyPaths)
  }
}

/// The changes of sections, as they come.
public struct SectionedChangeSequence<CollectionType: RealmSectionedResult>: AsyncSequence {
  public typealias Element = SectionedResultsChange<CollectionType>
  public typealias Failure = Never

  let sections: CollectionType
  let keyPaths: [String]?

  public func makeAsyncIterator() -> Iterator { Iterator(sections, keyPaths) }

  /// Gives the sections as they are, and then each change.
  public struct Iterator: AsyncIteratorProtocol {
    private let sections: CollectionType
    private let changes: SectionChanges<CollectionType.Key, CollectionType.SectionElement>
    private let waiter = ChangeWaiter()
    private let token: NotificationToken

    init(_ sections: CollectionType, _ keyPaths: [String]?) {
      self.sections = sections
      changes = SectionChanges(sections._sections, keyPaths)
      token = NotificationToken(waiter.observation)
      sections._sections.list.context.notifier.attach(waiter)
    }

    /// Waits for the next change.
    ///
    /// - Returns: The change; nil when the task was cancelled.
    public mutating func next(isolation: isolated (any Actor)? = #isolation) async -> Element? {
      while !_Concurrency.Task.isCancelled {
        let round = DeliveryRound(sections._sections.list.context)
        let change =
          if let key = sections._sectionKey { changes.next(round, of: key) } else {
            changes.next(round)
          }
        if let change { return SectionedResultsChange(sections, change) }
        await waiter.wait()
      }
      return nil
    }
  }
}
