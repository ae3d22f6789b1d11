// Primary keys and indexes of types that are kept as a value of another type: that one counts.

extension Persisted where Value: PersistableEnum, Value.RawValue: _PrimaryKey {
  /// Declares the property that identifies an object of its class.
  public init(primaryKey: Bool) {
    self.init(value: nil, traits: primaryKey ? .primaryKey : [])
  }

  /// Declares the property that identifies an object of its class, with a default.
  public init(wrappedValue: Value, primaryKey: Bool) {
    self.init(value: wrappedValue, traits: primaryKey ? .primaryKey : [])
  }
}

extension Persisted where Value: PersistableEnum, Value.RawValue: _Indexable {
  /// Declares a property with an ordered index.
  public init(indexed: Bool) { self.init(value: nil, traits: indexed ? .indexed : []) }

  /// Declares a property with an ordered index and a default.
  public init(wrappedValue: Value, indexed: Bool) {
    self.init(value: wrappedValue, traits: indexed ? .indexed : [])
  }

  /// Declares a property with an index of a kind.
  public init(indexed: IndexType) { self.init(value: nil, traits: indexed.traits) }

  /// Declares a property with an index of a kind, and a default.
  public init(wrappedValue: Value, indexed: IndexType) {
    self.init(value: wrappedValue, traits: indexed.traits)
  }
}

extension Persisted where Value: CustomPersistable, Value.PersistedType: _PrimaryKey {
  /// Declares the property that identifies an object of its class.
  public init(primaryKey: Bool) {
    self.init(value: nil, traits: primaryKey ? .primaryKey : [])
  }

  /// Declares the property that identifies an object of its class, with a default.
  public init(wrappedValue: Value, primaryKey: Bool) {
    self.init(value: wrappedValue, traits: primaryKey ? .primaryKey : [])
  }
}

extension Persisted where Value: CustomPersistable, Value.PersistedType: _Indexable {
  /// Declares a property with an ordered index.
  public init(indexed: Bool) { self.init(value: nil, traits: indexed ? .indexed : []) }

  /// Declares a property with an ordered index and a default.
  public init(wrappedValue: Value, indexed: Bool) {
    self.init(value: wrappedValue, traits: indexed ? .indexed : [])
  }
}

// MARK: Optionals

extension Persisted {
  /// Declares the property that identifies an object of its class.
  public init<Enum: PersistableEnum>(primaryKey: Bool)
  where Value == Enum?, Enum.RawValue: _PrimaryKey {
    self.init(value: nil, traits: primaryKey ? .primaryKey : [])
  }

  /// Declares the property that identifies an object of its class, with a default.
  public init<Enum: PersistableEnum>(wrappedValue: Enum?, primaryKey: Bool)
  where Value == Enum?, Enum.RawValue: _PrimaryKey {
    self.init(value: wrappedValue, traits: primaryKey ? .primaryKey : [])
  }

  /// Declares a property with an ordered index.
  public init<Enum: PersistableEnum>(indexed: Bool)
  where Value == Enum?, Enum.RawValue: _Indexable {
    self.init(value: nil, traits: indexed ? .indexed : [])
  }

  /// Declares a property with an ordered index and a default.
  public init<Enum: PersistableEnum>(wrappedValue: Enum?, indexed: Bool)
  where Value == Enum?, Enum.RawValue: _Indexable {
    self.init(value: wrappedValue, traits: indexed ? .indexed : [])
  }

  /// Declares a property with an index of a kind.
  public init<Enum: PersistableEnum>(indexed: IndexType)
  where Value == Enum?, Enum.RawValue: _Indexable {
    self.init(value: nil, traits: indexed.traits)
  }

  /// Declares a property with an index of a kind, and a default.
  public init<Enum: PersistableEnum>(wrappedValue: Enum?, indexed: IndexType)
  where Value == Enum?, Enum.RawValue: _Indexable {
    self.init(value: wrappedValue, traits: indexed.traits)
  }

  /// Declares a property with an ordered index.
  public init<Custom: CustomPersistable>(indexed: Bool)
  where Value == Custom?, Custom.PersistedType: _Indexable {
    self.init(value: nil, traits: indexed ? .indexed : [])
  }

  /// Declares a property with an ordered index and a default.
  public init<Custom: CustomPersistable>(wrappedValue: Custom?, indexed: Bool)
  where Value == Custom?, Custom.PersistedType: _Indexable {
    self.init(value: wrappedValue, traits: indexed ? .indexed : [])
  }
}
