internal import AtollObjects
internal import Foundation

/// Makes unmanaged objects of loosely typed sources: dictionaries, arrays, other objects.
///
/// Each object among the sources is copied once, whatever leads to it. Objects are made when
/// something leads to them and filled later, in a loop and no recursion, so a chain of a million is
/// copied as well as one.
///
/// A source that does not fit the class ends the process: it is a mistake in the program.
final class ValueBridge {
  /// The realm that the objects are made for; nil for objects that stay unmanaged.
  private let context: _RealmContext?
  /// The realm whose classes of the program give dynamic objects their defaults.
  private var models: _RealmContext?
  /// Takes note of the properties that the sources name; nil where the caller does not need them.
  private let given: GivenProperties?
  /// The copies of objects that were met, so that a cycle is copied as a cycle.
  private var copies: [Origin: ObjectBase] = [:]
  /// Keeps the originals, so that no other object gets the identity of one.
  private var originals: [ObjectBase] = []
  /// Objects that are made and have no values yet.
  private var waiting: [(object: ObjectBase, source: Any)] = []

  /// What an object was copied from, and to an object of which class.
  private struct Origin: Hashable {
    enum Place: Hashable {
      case instance(ObjectIdentifier)
      /// Each access to a managed object may give another instance of it.
      case row(version: Version, table: UInt32, ObjectKey)
    }

    enum Version: Hashable {
      case live(ObjectIdentifier)
      case frozen(file: ObjectIdentifier, UInt64)
    }

    let place: Place
    let type: ObjectIdentifier
    /// The number of the class that the file knows; nil for one of the program.
    let table: UInt32?

    init(_ object: ObjectBase, to descriptor: ClassDescriptor) {
      type = ObjectIdentifier(descriptor.type)
      table = descriptor.table?.id
      guard let row = object._row, !row.isUnreadable else {
        place = .instance(ObjectIdentifier(object))
        return
      }
      let context = row.context
      place = .row(
        version: context.isFrozen
          ? .frozen(file: ObjectIdentifier(context.file), context.snapshot.version)
          : .live(ObjectIdentifier(context)),
        table: row.access.table.id, row.key)
    }
  }

  init(_ context: _RealmContext? = nil, given: GivenProperties? = nil) {
    self.context = context
    models = context
    self.given = given
  }

  /// Sets the properties that a source names.
  func fill(_ object: ObjectBase, from source: Any) {
    if let source = AnyBridge.instance(of: ObjectBase.self, source) { remember(object, as: source) }
    waiting.append((object, source))
    run()
  }

  /// A copy of an object, which is the one that was made before if something led to it.
  func copy(of object: ObjectBase) -> ObjectBase {
    let copy = self.object(object.descriptor, from: object)
    run()
    return copy
  }

  /// The copy that was made of an object; nil for one that nothing has led to.
  func knownCopy(of object: ObjectBase) -> ObjectBase? {
    object.isInvalidated ? nil : copies[Origin(object, to: object.descriptor)]
  }

  /// The copies that were made of objects.
  var allCopies: some Collection<ObjectBase> { copies.values }

  /// Fills what is waiting, and what that leads to.
  private func run() {
    while let (object, source) = waiting.popLast() { fillEach(object, from: source) }
  }

  private func remember(_ copy: ObjectBase, as source: ObjectBase) {
    // An embedded object has one owner: whatever leads to a managed one gets a copy of its own.
    if source._row != nil, source.descriptor.isEmbedded { return }
    copies[Origin(source, to: copy.descriptor)] = copy
    originals.append(source)
  }

  private func fillEach(_ object: ObjectBase, from source: Any) {
    let descriptor = object.descriptor
    if let source = AnyBridge.instance(of: ObjectBase.self, source) {
      return copy(source, to: object, descriptor)
    }
    switch source {
    case let source as [String: Any]: fill(object, descriptor, source)
    case let source as [AnyHashable: Any]:
      let pairs = source.map { ("\($0.key)", $0.value) }
      fill(object, descriptor, Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
    case let source as [Any]: fill(object, descriptor, array: source)
    default:
      Misuse.trap(
        "an object of class '\(descriptor.name)' is made of a dictionary, an array or another "
          + "object, and not of a value of type \(type(of: source))")
    }
  }

  /// Asks a dictionary for each property, by its name in Swift and then by its name in the file.
  ///
  /// Other keys do not count: the next version of a service may send one field more.
  private func fill(
    _ object: ObjectBase, _ descriptor: ClassDescriptor, _ source: [String: Any]
  ) {
    var positions: Set<Int> = []
    for property in descriptor.properties.prefix(descriptor.storedCount) {
      guard let value = source[property.name] ?? source[property.columnName] else { continue }
      positions.insert(property.position)
      assign(property, of: object, value)
    }
    given?[object] = positions
  }

  private func fill(_ object: ObjectBase, _ descriptor: ClassDescriptor, array: [Any]) {
    guard array.count <= descriptor.storedCount else {
      Misuse.trap(
        "an array of \(array.count) values was given for an object of class '\(descriptor.name)', "
          + "which has \(descriptor.storedCount) properties")
    }
    for (property, value) in zip(descriptor.properties, array) {
      assign(property, of: object, value)
    }
    given?[object] = Set(0..<array.count)
  }

  private func copy(_ source: ObjectBase, to object: ObjectBase, _ descriptor: ClassDescriptor) {
    let from = source.descriptor
    let origin = source._row?.context
    let failureCount = origin?.failureCount
    if let row = source._row, row.isUnreadable {
      row.noteUnread()
      context?.failWrite()
    }
    var positions: Set<Int> = []
    for property in descriptor.properties.prefix(descriptor.storedCount) {
      guard let other = from.property(property.name), !other.isComputed else { continue }
      positions.insert(property.position)
      let value = other.storage.value(of: source, position: other.position)
      assign(property, of: object, value, readFrom: origin)
      guard let given, let row = source._row else { continue }
      if AnyBridge.isNull(value) {
        if property.canWait(as: other), let key = row.awaitedKey(other.position) {
          given.setUnheldValue(key, of: object, property.position)
        }
      } else if property.mayHoldDates {
        let stored = row.value(other.position)
        if stored.hasFinerMoments {
          given.setUnheldValue(stored, of: object, property.position)
        }
      }
    }
    given?[object] = positions
    // The source may be of another file, whose failures no write of this one hears of.
    if origin?.failureCount != failureCount { context?.failWrite() }
  }

  // MARK: Properties

  /// Sets a property of a managed or unmanaged object.
  func set(_ property: PropertyDescriptor, of object: ObjectBase, _ source: Any?) {
    models = object._row?.context ?? context
    assign(property, of: object, source)
    run()
  }

  /// `origin`: the realm that the source was read from, whose file may have failed.
  private func assign(
    _ property: PropertyDescriptor, of object: ObjectBase, _ source: Any?,
    readFrom origin: _RealmContext? = nil
  ) {
    let className = object.descriptor.name
    guard !property.isComputed else {
      Misuse.trap(
        "\(className).\(property.name) is computed from the links of other objects and cannot be "
          + "set")
    }
    let value = converted(source, for: property)
    // What a managed object leads to is added at once, with its values.
    if object._row != nil { run() }
    guard property.storage.set(value, in: object, position: property.position) else {
      let type = property.form.stored.type.queryName
      let sentence =
        value == nil
        ? "\(className).\(property.name) is required and cannot be nil"
        : "\(className).\(property.name) of type \(type) cannot hold \(Self.shown(value))"
      // It may be what could not be read: of a failure one of these realms knows.
      let contexts = [origin, context, object._row?.context].compactMap { $0 }
      guard let knowing = contexts.first(where: \.hasMetFailure) else { Misuse.trap(sentence) }
      knowing.refuse(sentence)
      for context in contexts { context.failWrite() }
      return
    }
  }

  /// A value for a message; of one that may be large, its type.
  private static func shown(_ value: Any?) -> String {
    switch AnyBridge.swiftValue(value) {
    case let text as String: "'\(text.prefix(100))'"
    case let number as any Numeric: "'\(number)'"
    case let value?: "a value of type \(type(of: value))"
    case nil: "nil"
    }
  }

  /// The source with objects in the place of what stands for them.
  private func converted(_ source: Any?, for property: PropertyDescriptor) -> Any? {
    guard let source = AnyBridge.unwrapped(source) else { return nil }
    if property.form.stored.type == .mixed { return mixed(source) }
    guard let target = property.targetClass else { return source }
    switch property.form.kind {
    case .single, .linkingObjects: return self.object(target, from: source)
    case .list, .set:
      guard let elements = source as? any Sequence else { return source }
      return elements.compactMap { element -> Any? in
        let source = AnyBridge.unwrapped(element) ?? element
        return isGone(source) ? nil : self.object(target, from: source)
      }
    case .map:
      guard let pairs = AnyBridge.entries(source) else { return source }
      return pairs.mapValues { value in
        AnyBridge.unwrapped(value).flatMap { isGone($0) ? nil : object(target, from: $0) } as Any
      }
    }
  }

  /// A source of mixed values with objects that are usable here, also in lists and dictionaries.
  private func mixed(_ source: Any, depth: Int = 0) -> Any {
    AnyRealmValue.checkNesting(depth)
    let source = AnyBridge.unwrapped(source) ?? source
    if let object = AnyBridge.instance(of: Object.self, source) {
      return AnyRealmValue.object(self.object(object.descriptor, from: object) as? Object ?? object)
    }
    switch source {
    case let value as AnyRealmValue:
      switch value {
      case .object(let object): return mixed(object, depth: depth)
      case .list(let list): return mixed(list, depth: depth)
      case .dictionary(let map): return mixed(map, depth: depth)
      default: return value
      }
    case let text as String: return text
    case let data as Data: return data
    case let source:
      if let entries = AnyBridge.entries(source) {
        return entries.mapValues { mixed($0, depth: depth + 1) }
      }
      guard let elements = source as? any Sequence else { return source }
      return elements.map { mixed($0, depth: depth + 1) }
    }
  }

  /// The object that a source stands for: itself, a copy of it, or one made of its values.
  private func object(_ descriptor: ClassDescriptor, from source: Any) -> ObjectBase {
    if let source = AnyBridge.instance(of: ObjectBase.self, source) {
      if let copy = copies[Origin(source, to: descriptor)] { return copy }
      if isUsable(source) { return source.instance(of: descriptor) }
    }
    let object = descriptor.newObject()
    if descriptor.isDynamic {
      (object as? DynamicObject)?.fillDefaults(of: models, descriptor.name)
    }
    if let source = AnyBridge.instance(of: ObjectBase.self, source) { remember(object, as: source) }
    waiting.append((object, source))
    return object
  }

  /// Whether a source is an object of the old version of a migration that has been deleted since.
  private func isGone(_ source: Any) -> Bool {
    guard let context = context ?? models, let migration = context.migration,
      let row = AnyBridge.instance(of: ObjectBase.self, source)?._row,
      migration.isOld(row.context, of: context)
    else { return false }
    return migration.present(row) == nil
  }

  /// Whether an object is linked itself and not copied.
  private func isUsable(_ source: ObjectBase) -> Bool {
    // Objects that stay unmanaged share what they link to; only what has an owner is copied.
    let isEmbedded = source.descriptor.isEmbedded
    guard let context else { return !isEmbedded || source._row == nil }
    guard let origin = source._row?.context, !isEmbedded else { return false }
    return origin === context || origin.migration?.isOld(origin, of: context) ?? false
  }
}

extension PropertyDescriptor {
  fileprivate var mayHoldDates: Bool { form.stored.type == .date || form.stored.type == .mixed }

  /// Whether this is a link that can wait for the objects that the other one waits for.
  fileprivate func canWait(as other: PropertyDescriptor) -> Bool {
    guard form.kind == .single, other.form.kind == .single, let target = targetClass,
      let otherTarget = other.targetClass, let key = target.primaryKey,
      let otherKey = otherTarget.primaryKey
    else { return false }
    return key.form.stored.type == otherKey.form.stored.type
  }
}

extension ObjectBase {
  /// The object as one of a class that is known from its file only, if such is asked for.
  fileprivate func instance(of descriptor: ClassDescriptor) -> ObjectBase {
    guard descriptor.isDynamic, !(self is DynamicObject), let row = _row, !row.isUnreadable else {
      return self
    }
    return row.context.dynamicObject(row.address) ?? self
  }

  /// Sets the properties that a source names, of an object that stays unmanaged for now.
  func fill(from source: Any) { ValueBridge().fill(self, from: source) }
}
