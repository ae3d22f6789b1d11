internal import AtollObjects
internal import AtollQuery
internal import Foundation

// Values that a realm is asked for: arguments of queries, elements that are looked for.
//
// An object that the file does not hold equals none that it does: one that no realm manages, one of
// another file, and one that was deleted. It is found nowhere, and its negation finds everything.
// So it is with a date that no file can hold; an infinite one stands behind all others in order.

extension _Storable {
  /// The value as the file holds it.
  ///
  /// `context`: the realm that is asked; nil when it is not known yet, so that objects of any file
  /// are taken for its own. `isNaming`: whether an object that the file does not hold is to have a
  /// name in the text of a subscription.
  func asked(_ context: _RealmContext?, isNaming: Bool = false) -> _StoredValue {
    if let object = self as? ObjectBase { return object.askedLink(context, isNaming) }
    if let value = self as? AnyRealmValue { return value.asked(context, isNaming, depth: 0) }
    return unheldDate?.nearestMoment ?? _store(nil)
  }

  /// The date that no file can hold, infinite or no number, if the value is one or is kept as one.
  var unheldDate: Date? {
    let type = Self._storedType.type
    guard type == .date || type == .mixed else { return nil }
    return switch self {
    case let date as Date: Timestamp(date) == nil ? date : nil
    case let value as AnyRealmValue: value.dateValue?.unheldDate
    case let value as any CustomPersistable: value.persistableValue.unheldDate
    case let value as any FailableCustomPersistable: value.persistableValue.unheldDate
    default: nil
    }
  }
}

extension Date {
  /// What an infinite date is asked as: the end of time, where no date of Swift is; what is no
  /// number is nothing.
  fileprivate var nearestMoment: _StoredValue {
    Timestamp(nearest: self).map { .date($0) } ?? .link(.toNothing)
  }
}

extension ObjectBase {
  /// The class and the primary key of the object; nil when it has no key, or was deleted.
  var address: UnheldObjects.Address? {
    let descriptor = descriptor
    guard let property = descriptor.primaryKey, !isInvalidated, _row?.isUnreadable != true else {
      return nil
    }
    let key =
      _row.map { $0.value(property.position) } ?? property.storage.storedValue(of: self, nil)
    return UnheldObjects.Address(className: ExactText(descriptor.name), primaryKey: key)
  }

  /// The link to the object; to nothing when the realm does not hold it.
  fileprivate func askedLink(_ context: _RealmContext?, _ isNaming: Bool) -> _StoredValue {
    if let copies = context?.copies { return copies(self)?._row?.link ?? .link(.toNothing) }
    // What cannot be read is nothing; to ask for it in a write is to change by it.
    if let row = _row, row.isUnreadable {
      if let context, context.isWriteOpen { context.failWrite() }
      return .link(.toNothing)
    }
    guard let row = _row, context.map({ $0.file === row.context.file }) ?? true, row.isValid else {
      guard isNaming, let context, context.configuration.syncConfiguration != nil,
        let address = address
      else { return .link(.toNothing) }
      return .link(context.file.unheldObjects.link(to: address))
    }
    return row.link
  }
}

extension AnyRealmValue {
  fileprivate func asked(
    _ context: _RealmContext?, _ isNaming: Bool, depth: Int
  ) -> _StoredValue {
    // A collection that contains itself: no file holds one that nests so deep.
    guard depth <= MixedCoding.nestingLimit else { return .link(.toNothing) }
    switch self {
    case .object(let object): return object.askedLink(context, isNaming)
    case .list(let list):
      return .list(list.map { $0.asked(context, isNaming, depth: depth + 1) })
    case .dictionary(let map):
      let entries = map.asKeyValueSequence().map { entry in
        (key: entry.key, value: entry.value.asked(context, isNaming, depth: depth + 1))
      }
      return .map(ValueMap(entries))
    case .date(let date): return date.asked(context)
    default: return _store(nil)
    }
  }
}
