internal import AtollObjects
public import Foundation

/// Tells a block of the changes of one object.
final class ObjectObserver<Form: ObservedForm>: RealmObserver {
  let observation: Observation
  private let form: Form
  private var shown: Form.Shown
  private let row: _ManagedRow
  /// The version that was told last; nil where none could be read.
  private var last: Snapshot?
  private var isDeleted = false
  private let block: (ObjectChange<Form.Shown>) -> Void

  init(
    _ shown: Form.Shown, _ row: _ManagedRow, _ form: Form,
    observation: Observation = Observation(),
    _ block: @escaping (ObjectChange<Form.Shown>) -> Void
  ) {
    self.shown = shown
    self.row = row
    self.form = form
    self.observation = observation
    self.block = block
    rebase(row.context)
  }

  func rebase(_ context: _RealmContext) {
    let snapshot = context.snapshot
    if !context.isUnsettled { last = snapshot }
  }

  func deliver(_ round: DeliveryRound) {
    guard !isDeleted, round.hasVersion, last?.version != round.snapshot.version else { return }
    // One that cannot be read has nothing that changes.
    guard let last, !row.isUnreadable else { return self.last = round.snapshot }
    let failureCount = round.context.failureCount
    guard row.isValid else {
      isDeleted = true
      block(.deleted)
      return
    }
    // The instance may have been given to `delete` in a write that was cancelled.
    if form.object(of: shown)._row !== row { shown = form.shown(row) }
    let changes = round.context.readingWhatIsTold(
      "the changes of an object cannot be read", or: []
    ) { try form.changes(of: shown, row, from: last, round) }
    // Told of; what has changed is told when it can be read.
    guard round.context.failureCount == failureCount else { return }
    self.last = round.snapshot
    if !changes.isEmpty { block(.change(shown, changes)) }
  }
}

extension ObjectBase {
  /// Calls `block` whenever properties of the object have changed, and once when it was deleted.
  ///
  /// `keyPaths`: the properties that count; nil: all.
  ///
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe<T: ObjectBase>(
    keyPaths: [String]? = nil, _ block: @escaping (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    let (object, row) = observable(as: T.self)
    row.context.checkScheduler("an object")
    let form = ObjectForm<T>(row, keyPaths)
    return row.context.notifier.add(ObjectObserver(object, row, form, block))
  }

  /// Calls `block` on a queue whenever properties of the object have changed, and once when it was
  /// deleted, where the object is one of a realm of that queue.
  ///
  /// `queue`: a serial queue; nil: where the object's realm belongs.
  ///
  /// - Returns: A token; it ends the observation when it is gone.
  @preconcurrency public func observe<T: ObjectBase>(
    keyPaths: [String]? = nil, on queue: DispatchQueue?,
    _ block: @escaping @Sendable (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    guard let queue else { return observe(keyPaths: keyPaths, block) }
    return observationElsewhere(keyPaths, block).begin(on: queue)
  }

  /// Calls `block` whenever one of these properties has changed, and once when the object was
  /// deleted.
  public func observe<T: ObjectBase>(
    keyPaths: [PartialKeyPath<T>], _ block: @escaping (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, block)
  }

  /// Calls `block` on a queue whenever one of these properties has changed, and once when the
  /// object was deleted.
  @preconcurrency public func observe<T: ObjectBase>(
    keyPaths: [PartialKeyPath<T>], on queue: DispatchQueue?,
    _ block: @escaping @Sendable (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }

  func observationElsewhere<T: ObjectBase>(
    _ keyPaths: [String]?, _ block: @escaping (ObjectChange<T>) -> Void
  ) -> ObservationElsewhere {
    _ = observable(as: T.self)
    return observationElsewhere {
      block(.deleted)
    } observer: { row, observation in
      let form = ObjectForm<T>(row, keyPaths)
      return ObjectObserver(form.shown(row), row, form, observation: observation, block)
    }
  }

  /// The object and its row, if it can be observed now.
  private func observable<T: ObjectBase>(as type: T.Type) -> (object: T, row: _ManagedRow) {
    let row = observableRow()
    guard let object = self as? T else {
      Misuse.trap("an object of class '\(descriptor.name)' was observed as one of \(T.self)")
    }
    return (object, row)
  }

  /// The row of the object, if it can be observed now.
  func observableRow() -> _ManagedRow {
    guard let row = _row else {
      Misuse.trap("an object that no realm manages cannot be observed; add it first")
    }
    row.context.checkConfinement()
    row.checkAlive()
    if row.context.isFrozen {
      Misuse.trap("a frozen object never changes, so it cannot be observed")
    }
    return row
  }

  /// Prepares the observation of the object in a realm of another place.
  ///
  /// - Parameters:
  ///   - noteDeletion: Called there where the object is gone by then.
  ///   - observer: Makes the observer of the object there.
  /// - Returns: The observation, which has not begun.
  func observationElsewhere(
    _ noteDeletion: @escaping () -> Void,
    observer: @escaping (_ManagedRow, Observation) -> any RealmObserver
  ) -> ObservationElsewhere {
    let row = observableRow()
    let (descriptor, key, isUnreadable) = (row.access.descriptor, row.key, row.isUnreadable)
    return ObservationElsewhere("an object", row.context) { context, observation in
      // One that cannot be read has nothing that changes.
      if isUnreadable { return nil }
      guard context.access(descriptor) != nil, case let row = context.row(descriptor, key),
        row.isValid
      else {
        noteDeletion()
        return nil
      }
      return observer(row, observation)
    }
  }
}
