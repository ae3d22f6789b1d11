public import AtollObjects
public import Observation

/// The root of all model classes.
///
/// An object is unmanaged, a plain Swift object with values of its own, until a realm adds it. From
/// then on it is managed: each property reads the current version of its realm.
@safe
open class ObjectBase {
  /// Where a managed object lies; nil for an unmanaged one.
  @usableFromInline final var _row: _ManagedRow? {
    didSet { unsafe _lentRow = _row.map { unsafe Unmanaged.passUnretained($0) } }
  }
  /// As `_row`, which holds it: to read a property it need not be retained.
  // SAFETY: the run-time checks of exclusive access are left out: an object that is not frozen is used
  // by one thread at a time, the row of a frozen one never changes, and no access calls back.
  @exclusivity(unchecked) @usableFromInline final var _lentRow: Unmanaged<_ManagedRow>?
  /// What takes note of the properties that are read, in an instance made to trace key paths.
  @usableFromInline final var _tracer: _KeyPathTracer?

  /// Makes an unmanaged object in which each property has its default.
  public required init() {}

  /// The class's name in the file, where it differs from the name of the Swift class.
  open class func _realmObjectName() -> String? { nil }

  /// The names that properties have in the file, by their Swift names, where they differ.
  open class func propertiesMapping() -> [String: String] { [:] }

  /// The names of properties that are not persisted.
  open class func ignoredProperties() -> [String] { [] }

  /// The name of the primary key, for classes that do not mark it with `@Persisted`.
  open class func primaryKey() -> String? { nil }

  /// The names of indexed properties, for classes that do not mark them with `@Persisted`.
  open class func indexedProperties() -> [String] { [] }

  /// The indexes of several properties, and those that refuse equal values.
  open class func indexes() -> [Index] { [] }

  /// What a deletion means for the other ends of links, where it is more than that they are lost.
  open class func deleteRules() -> [DeleteRule] { [] }

  /// Whether a realm without a list of classes may hold objects of this class.
  open class func shouldIncludeInDefaultSchema() -> Bool { true }

  /// Whether objects of the class belong to a property of another object.
  public class func isEmbedded() -> Bool { false }

  /// Whether objects of the class only go to the server, and are not kept.
  public class func isAsymmetric() -> Bool { false }

  /// The name of the class in the file.
  public static func className() -> String { ClassDescriptor.of(self).name }

  /// Whether the object was deleted, or its realm was invalidated.
  public final var isInvalidated: Bool {
    guard let row = _row else { return false }
    row.context.noteExistence(row)
    return !row.isValid
  }

  /// A block of text with the values of the properties.
  open var description: String { ObjectDescription.text(of: self) }
}

extension ObjectBase: Hashable {
  /// Whether both are the same instance, or the same object of a realm where that can be told.
  ///
  /// Two instances of one row are equal when their class has a primary key, or when both are frozen
  /// in the same version.
  public static func == (a: ObjectBase, b: ObjectBase) -> Bool {
    if a === b { return true }
    guard let row = a._row, let other = b._row, row.isSameRow(as: other) else { return false }
    return row.context.isFrozen || row.access.descriptor.primaryKey != nil
  }

  public func hash(into hasher: inout Hasher) {
    guard let row = _row, !row.isUnreadable,
      row.context.isFrozen || row.access.descriptor.primaryKey != nil
    else {
      hasher.combine(ObjectIdentifier(self))
      return
    }
    hasher.combine(row.key)
    hasher.combine(row.access.table.id)
  }
}

extension ObjectBase: CustomStringConvertible {}

/// A block of `withObservationTracking` that reads an object is told of changes by this thread,
/// another one, another process or another device.
///
/// The realm tells when it moves to the new version, and when it commits a write. Unmanaged objects
/// are not tracked.
extension ObjectBase: Observable {}

extension ObjectBase: _Storable {
  public static var _storedType: _StoredType { _StoredType(.link, isOptional: true, target: self) }

  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> Self {
    guard let link = value.link else {
      // The file failed, as was told.
      context.refuse("a list of objects holds a value that is no link")
      let object = self.init()
      object._row = _ManagedRow(unreadable: ClassDescriptor.of(self), context: context)
      return object
    }
    // The file tells of which class it is.
    if isOfAnyClass, let object = object(link, context) { return object }
    return context.object(self, ObjectKey(rawValue: link.key))
  }

  /// Whether this is no class of an application, but one whose objects are of any class.
  private static var isOfAnyClass: Bool {
    self == DynamicObject.self || self == Object.self || self == EmbeddedObject.self
      || self == ObjectBase.self
  }

  private static func object(_ link: ObjectLink, _ context: _RealmContext) -> Self? {
    if self != DynamicObject.self, let type = context.targetClass(of: link) as? Self.Type {
      return context.object(type, ObjectKey(rawValue: link.key))
    }
    return context.dynamicObject(link) as? Self
  }

  public static func _bridge(_ source: Any) -> Self? {
    AnyBridge.unwrapped(source).flatMap { AnyBridge.instance(of: ObjectBase.self, $0) as? Self }
  }

  public func _store(_ context: _RealmContext?) -> _StoredValue {
    if let row = _row, row.isUnreadable {
      // In a query it is found nowhere.
      if let context, context.isWriteOpen { context.failWrite() }
      return row.link
    }
    if let row = _row, context == nil || row.context === context {
      return row.link
    }
    guard let context else {
      Misuse.trap(
        "an unmanaged object of class '\(descriptor.name)' cannot be compared with what "
          + "a realm holds; add it first")
    }
    return context.adder.add(self)?.link ?? .null
  }
}

extension ObjectBase: _PersistableInsideOptional {
  public static func _writeOptional(_ row: _ManagedRow, _ position: Int, _ value: ObjectBase?) {
    row.setLink(position, value)
  }

  public static func _tracedOptional(_ tracer: _KeyPathTracer) -> Self? { traced(tracer) }

  /// An instance whose properties note that they are read.
  static func traced(_ tracer: _KeyPathTracer) -> Self {
    let object = self.init()
    object._tracer = tracer
    return object
  }
}

extension ObjectBase: RealmCollectionValue {}

/// An object of a class of its own, found through its realm.
open class Object: ObjectBase, RealmFetchable, ThreadConfined {
  /// Makes an unmanaged object in which each property has its default.
  public required init() { super.init() }

  /// Makes an unmanaged object from a dictionary of properties, an array of them in the order of
  /// their declarations, or another object.
  public convenience init(value: Any) {
    self.init()
    fill(from: value)
  }
}

/// An object that belongs to exactly one property of another object, and is deleted with it.
open class EmbeddedObject: ObjectBase, ThreadConfined {
  /// Makes an unmanaged object in which each property has its default.
  public required init() { super.init() }

  /// Makes an unmanaged object from a dictionary of properties, an array of them in the order of
  /// their declarations, or another object.
  public convenience init(value: Any) {
    self.init()
    fill(from: value)
  }

  public override class func isEmbedded() -> Bool { true }
}
