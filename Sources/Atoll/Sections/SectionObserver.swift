/// Tells a block of the changes of sections.
final class SectionObserver<C: RealmSectionedResult>: RealmObserver {
  let observation: Observation
  private let sections: C
  private let changes: SectionChanges<C.Key, C.SectionElement>
  private let block: (SectionedResultsChange<C>) -> Void

  init(
    _ sections: C, _ keyPaths: [String]?, observation: Observation = Observation(),
    _ block: @escaping (SectionedResultsChange<C>) -> Void
  ) {
    self.sections = sections
    changes = SectionChanges(sections._sections, keyPaths)
    self.observation = observation
    self.block = block
  }

  var isNew: Bool { changes.isNew }

  func deliver(_ round: DeliveryRound) {
    let change =
      if let key = sections._sectionKey { changes.next(round, of: key) } else {
        changes.next(round)
      }
    if let change { block(SectionedResultsChange(sections, change)) }
  }

  func rebase(_ context: _RealmContext) { changes.rebase(context) }
}
