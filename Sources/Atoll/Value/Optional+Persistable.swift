public import AtollObjects

extension Optional: _Storable where Wrapped: _PersistableInsideOptional {
  public static var _storedType: _StoredType {
    var type = Wrapped._storedType
    type.isOptional = true
    return type
  }

  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> Wrapped? {
    value.isNull ? nil : Wrapped._loadOptional(value, context)
  }

  public static var _knownValues: [_StoredValue]? { Wrapped._knownValues.map { $0 + [.null] } }

  public func _store(_ context: _RealmContext?) -> _StoredValue { self?._store(context) ?? .null }

  public static func _bridge(_ source: Any) -> Wrapped?? {
    AnyBridge.isNull(source) ? .some(nil) : Wrapped._bridgeOptional(source)
  }
}

extension Optional: _Persistable where Wrapped: _PersistableInsideOptional {
  public static func _default() -> Wrapped? { nil }

  public static func _read(_ row: _ManagedRow, _ position: Int) -> Wrapped? {
    Wrapped._readOptional(row, position)
  }

  public static func _write(_ row: _ManagedRow, _ position: Int, _ value: Wrapped?) {
    Wrapped._writeOptional(row, position, value)
  }

  public static func _traced(_ tracer: _KeyPathTracer) -> Wrapped? {
    Wrapped._tracedOptional(tracer)
  }

  public static func _bridgeProperty(_ source: Any?) -> Wrapped?? {
    guard let source else { return .some(nil) }
    return _bridge(source)
  }
}

extension Optional: _MapValue where Wrapped: _PersistableInsideOptional & Hashable {}
extension Optional: RealmCollectionValue
where
  Wrapped: _RealmCollectionValueInsideOptional,
  Wrapped: _PersistableInsideOptional
{}
extension Optional: _PrimaryKey where Wrapped: _PrimaryKey {}
extension Optional: _Indexable where Wrapped: _Indexable {}
