/// An object, as the model has it.
struct ApiRow: Equatable {
  let kind: String
  /// By the names of properties.
  var values: [String: ApiValue]
}

/// What one version of a file holds, as the model has it.
struct ApiWorld: Equatable {
  /// By the numbers of the objects, embedded ones too.
  private(set) var rows: [Int: ApiRow] = [:]
  /// The names of the classes that the file has.
  var classes: Set<String> = []

  subscript(number: Int) -> ApiRow {
    guard let row = rows[number] else { preconditionFailure("the model has no object #\(number)") }
    return row
  }

  /// The numbers of a class's objects, ascending.
  func numbers(of kind: String) -> [Int] {
    rows.filter { $0.value.kind == kind }.keys.sorted()
  }

  /// The object that an embedded one belongs to, and the property; nil for others.
  func owner(of number: Int, _ schema: ApiSchema) -> (number: Int, field: ApiField)? {
    for (owner, row) in rows {
      for field in schema[row.kind].fields where field.isOwning {
        if row.values[field.name]?.objects.contains(number) ?? false { return (owner, field) }
      }
    }
    return nil
  }

  /// The embedded objects that belong to an object, also through others.
  func owned(by number: Int, _ schema: ApiSchema) -> Set<Int> {
    var found: Set<Int> = []
    var rest = [number]
    while let next = rest.popLast() {
      guard let row = rows[next] else { continue }
      for field in schema[row.kind].fields where field.isOwning {
        for object in row.values[field.name]?.objects ?? [] where found.insert(object).inserted {
          rest.append(object)
        }
      }
    }
    return found
  }

  mutating func add(_ number: Int, _ row: ApiRow) { rows[number] = row }

  /// Sets a property; objects that were its own, and are not any more, are deleted.
  mutating func set(_ number: Int, _ field: ApiField, _ value: ApiValue, _ schema: ApiSchema) {
    let old = self[number].values[field.name]
    rows[number]?.values[field.name] = value
    guard field.isOwning, let old else { return }
    delete(Set(old.objects).subtracting(value.objects), schema)
  }

  /// Deletes objects and what belongs to them; links to them are gone.
  mutating func delete(_ numbers: Set<Int>, _ schema: ApiSchema) {
    var gone: Set<Int> = []
    var rest = Array(numbers)
    while let number = rest.popLast() {
      guard gone.insert(number).inserted, let row = rows.removeValue(forKey: number) else {
        continue
      }
      for field in schema[row.kind].fields where field.isOwning {
        rest += row.values[field.name]?.objects ?? []
      }
    }
    if gone.isEmpty { return }
    for (number, row) in rows {
      for field in schema[row.kind].fields where field.content != .scalar {
        guard let value = row.values[field.name] else { continue }
        let new = value.removing(gone, isMixed: field.content == .mixed)
        if new != value { rows[number]?.values[field.name] = new }
      }
    }
  }

  mutating func deleteAll() { rows = [:] }
}
