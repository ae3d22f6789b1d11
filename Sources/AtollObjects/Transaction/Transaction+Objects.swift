import AtollStorage

// Making, finding and deleting objects.

extension Transaction {
  /// Makes an object.
  ///
  /// What `values`, by property name, leaves out is null, or zero, false or empty where null is not
  /// allowed. Throws `.duplicatePrimaryKey`, `.missingPrimaryKey`, `.typeMismatch`,
  ///   `.nullInRequiredProperty`, `.danglingLink`, `.noSuchProperty`; nothing was made then.
  @discardableResult
  public func create(_ className: String, _ values: [String: Value] = [:]) throws(ObjectError)
    -> ObjectKey
  {
    let writer = try writer(className)
    guard !writer.schema.isEmbedded else {
      throw .embeddedObjectHasOwner(className: className)
    }
    let assignments = try assignments(writer, values)
    return try create(writer, assignments)
  }

  /// Makes the object with this primary key, or changes the one that has it.
  ///
  /// What `values` leaves out stays as it is in an object that exists.
  @discardableResult
  public func upsert(_ className: String, primaryKey: Value, _ values: [String: Value])
    throws(ObjectError) -> (key: ObjectKey, isNew: Bool)
  {
    let writer = try writer(className)
    guard let column = writer.schema.primaryKey else {
      throw .missingPrimaryKey(className: className, property: "")
    }
    var values = values
    values[column.name] = primaryKey
    return try upsert(writer, assignments(writer, values))
  }

  /// Makes an object, or changes the one that has the primary key among `assignments`.
  func upsert(_ writer: TableWriter, _ assignments: [(Column, Value)])
    throws(ObjectError) -> (key: ObjectKey, isNew: Bool)
  {
    guard let column = writer.schema.primaryKey else {
      throw .missingPrimaryKey(className: writer.schema.name, property: "")
    }
    if let primaryKey = assignments.first(where: { $0.0.id == column.id })?.1,
      let key = try key(writer, primaryKey: primaryKey)
    {
      for (column, value) in assignments {
        try checkOwner(of: value, column, writer, key.rawValue)
      }
      try change { () throws(ObjectError) in
        for (column, value) in assignments where !column.isPrimaryKey {
          try set(writer, key.rawValue, column, value)
        }
      }
      return (key, false)
    }
    return (try create(writer, assignments, isKnownNew: true), true)
  }

  /// Sets one property of an object; a collection as a whole.
  public func set(_ className: String, _ key: ObjectKey, _ property: String, _ value: Value)
    throws(ObjectError)
  {
    let writer = try writer(className)
    let column = try writer.schema.requireColumn(property)
    guard !column.isPrimaryKey else {
      throw .primaryKeyIsFixed(className: className, property: property)
    }
    guard try writer.contains(key.rawValue) else { throw .noSuchObject(className: className) }
    let fitted = try fit(value, column, writer)
    try checkOwner(of: fitted, column, writer, key.rawValue)
    try change { () throws(ObjectError) in try set(writer, key.rawValue, column, fitted) }
  }

  /// Makes an object of an embedded class as the value of a property, or as one more element of it.
  ///
  /// An embedded object that it replaces is deleted.
  @discardableResult
  public func createEmbedded(
    in className: String, _ owner: ObjectKey, _ property: String, mapKey: String? = nil,
    _ values: [String: Value] = [:]
  ) throws(ObjectError) -> ObjectKey {
    try createEmbedded(
      in: className, owner, property, mapKey: mapKey,
      named: values.map { (name: $0.key, value: $0.value) })
  }

  /// The same for names that come once each by their bytes.
  @discardableResult
  package func createEmbedded(
    in className: String, _ owner: ObjectKey, _ property: String, mapKey: String? = nil,
    named values: [(name: String, value: Value)]
  ) throws(ObjectError) -> ObjectKey {
    let ownerWriter = try writer(className)
    let column = try ownerWriter.schema.requireColumn(property)
    guard column.layout.value == .link,
      let target = schema.table(id: column.layout.linkTable), target.isEmbedded
    else {
      throw .typeMismatch(
        className: className, property: property, expected: column.layout.description,
        found: "embedded object")
    }
    try settleDeletions()
    if column.layout.collection == .list {
      return try createEmbeddedElement(ownerWriter, owner.rawValue, column, at: nil) {
        child throws(ObjectError) in try self.assignments(child, named: values)
      }
    }
    guard try ownerWriter.contains(owner.rawValue) else {
      throw .noSuchObject(className: className)
    }
    // All links take as many bytes, so any will do to measure.
    try checkSize(
      of: .link(ObjectLink(table: target.id, key: 0)), .string(mapKey ?? ""), column, ownerWriter)
    let childWriter = try writer(id: target.id)
    let child = try create(childWriter, assignments(childWriter, named: values))
    let link = Value.link(ObjectLink(table: target.id, key: child.rawValue))
    try change { () throws(ObjectError) in
      if column.layout.hasParts {
        let isMap = column.layout.collection == .map
        try setFitted(
          ownerWriter, owner.rawValue, column, isMap ? .string(mapKey ?? "") : link, link)
      } else {
        try setLinks(ownerWriter, owner.rawValue, column, link)
      }
    }
    return child
  }

  /// Makes an object; `given`: its key, which was checked, if it is not the next one; `isKnownNew`:
  /// no object has the primary key among `assignments`, if there is one.
  func create(
    _ writer: TableWriter, _ assignments: [(Column, Value)], key given: ObjectKey? = nil,
    isKnownNew: Bool = false
  ) throws(ObjectError) -> ObjectKey {
    var primaryKey: Value?
    if let column = writer.schema.primaryKey {
      primaryKey = assignments.first { $0.0.id == column.id }?.1
    }
    try checkNew(writer, primaryKey: primaryKey, isKnownNew: isKnownNew)
    for (column, value) in assignments { try checkOwner(of: value, column, writer, nil) }
    return try make(writer, primaryKey: primaryKey, key: given) { key throws(ObjectError) in
      for (column, value) in assignments {
        if column.layout.value == .link {
          try setLinks(writer, key, column, value)
        } else {
          guard try writer.select(key) else { throw .noSuchObject(className: writer.schema.name) }
          try writer.setSelected(column, value)
        }
      }
    }
  }

  /// Refuses an object without the primary key of its class, and one whose primary key another has.
  func checkNew(_ writer: TableWriter, primaryKey: Value?, isKnownNew: Bool = false)
    throws(ObjectError)
  {
    guard let column = writer.schema.primaryKey else { return }
    guard let primaryKey else {
      throw .missingPrimaryKey(className: writer.schema.name, property: column.name)
    }
    if !isKnownNew, try key(writer, primaryKey: primaryKey) != nil {
      throw .duplicatePrimaryKey(className: writer.schema.name, value: "\(primaryKey)")
    }
  }

  /// Makes an object of which nothing can be refused any more.
  ///
  /// - Parameters:
  ///   - writer: That of the class.
  ///   - primaryKey: The value of its primary key, which no object has; nil where there is none.
  ///   - given: Its key, which was checked, if it is not the next one.
  ///   - fill: Sets what it is to hold.
  /// - Returns: Its key.
  /// - Throws: What has left it half done, so that the transaction is not committed.
  func make(
    _ writer: TableWriter, primaryKey: Value?, key given: ObjectKey? = nil,
    fill: (UInt64) throws(ObjectError) -> Void
  ) throws(ObjectError) -> ObjectKey {
    try change { () throws(ObjectError) in
      if hasUnsettledDeletions, let primaryKey {
        try settleDeletions(
          beforeReusing: storedKey(writer, primaryKey: primaryKey), of: writer)
      }
      let key: UInt64
      if let given {
        key = given.rawValue
        try settleDeletions(beforeReusing: key, of: writer)
        writer.reserveKey(key)
      } else {
        key = try self.key(forNew: primaryKey, writer)
      }
      try writer.insert(key)
      try fill(key)
      if let primaryKey { try resolveWaiting(for: writer, key, primaryKey) }
      return ObjectKey(rawValue: key)
    }
  }

  /// The key of a new object: its primary key, one that it had before, or the next one.
  package func key(forNew primaryKey: Value?, _ writer: TableWriter) throws(ObjectError) -> UInt64 {
    if writer.schema.isKeyedByPrimaryKey, case .int(let number)? = primaryKey {
      return ObjectKey(integerPrimaryKey: number).rawValue
    }
    if writer.schema.isSynced, let primaryKey,
      let key = try participant?.keptKey(primaryKey, writer)
    {
      return key
    }
    return writer.takeKey()
  }

  /// Makes a change of which nothing can be refused any more.
  ///
  /// What it throws has left it half done: the transaction is not committed then.
  @inlinable
  package func change<Result>(_ body: () throws(ObjectError) -> Result) throws(ObjectError)
    -> Result
  {
    do throws(ObjectError) { return try body() } catch {
      fail(error)
      throw error
    }
  }

  /// Refuses the commit: a change was interrupted halfway.
  @usableFromInline
  package func fail(_ error: ObjectError) { failure = failure ?? error }

  /// Refuses the commit: a change was not made, and cannot be reported where it was asked for.
  ///
  /// What there is can be read and changed all the same.
  package func refuse(_ error: ObjectError) { refusal = refusal ?? error }

  func set(_ writer: TableWriter, _ key: UInt64, _ column: Column, _ value: Value)
    throws(ObjectError)
  {
    if column.layout.mayHoldLinks {
      if try mayKeepDeletedLinks(writer, key, column) { try settleDeletions() }
      try keepWaiting(writer, key, column, value)
      try setLinks(writer, key, column, value)
    } else {
      guard try writer.select(key) else { throw .noSuchObject(className: writer.schema.name) }
      try writer.setSelected(column, value)
    }
    // Each assignment is one: a list that was emptied, and then set, has new elements.
    guard column.layout.collection == .list else { return }
    try writer.witness?.didAssign(column, of: key, writer)
  }

  /// Sets a property of links, and deletes embedded objects that lose their owner.
  package func setLinks(_ writer: TableWriter, _ key: UInt64, _ column: Column, _ value: Value)
    throws(ObjectError)
  {
    guard try writer.select(key) else { throw .noSuchObject(className: writer.schema.name) }
    guard let target = schema.table(id: column.layout.linkTable), target.isEmbedded else {
      return try writer.setSelected(column, value)
    }
    let old = try writer.selectedValue(column).links
    try writer.setSelected(column, value)
    for orphan in Set(old).subtracting(value.links) { try doom(orphan) }
  }

  /// Refuses embedded objects that are not in this property of this object already, or twice.
  ///
  /// `key`: the object; nil for one that is being made.
  func checkOwner(
    of value: Value, _ column: Column, _ writer: TableWriter, _ key: UInt64?
  ) throws(ObjectError) {
    guard column.layout.value == .link,
      let target = schema.table(id: column.layout.linkTable), target.isEmbedded
    else { return }
    let links = value.links
    guard !links.isEmpty else { return }
    let owned = try key.flatMap { key throws(ObjectError) in try writer.value(key, column) }
    let distinct = Set(links)
    guard distinct.count == links.count, distinct.isSubset(of: owned?.links ?? []) else {
      throw .embeddedObjectHasOwner(className: target.name)
    }
  }
}
