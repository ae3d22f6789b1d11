internal import AtollObjects
internal import AtollQuery

/// Reads what `NSPredicate` takes for booleans and the query language does not: `YES` and `NO`, where
/// the class has no property of that name, and 0 and 1 beside a property of booleans.
struct BooleanSpellings {
  /// The class that the query asks; nil: values.
  private let descriptor: ClassDescriptor?
  /// The name of a value that is a boolean; nil for any other, and for objects.
  private let nameOfBoolean: String?
  private let arguments: [_StoredValue]

  init(descriptor: ClassDescriptor, arguments: [_StoredValue]) {
    self.descriptor = descriptor
    nameOfBoolean = nil
    self.arguments = arguments
  }

  /// For a condition of values; `nameOfBoolean`: their name, if they are booleans.
  init(nameOfBoolean: String?, arguments: [_StoredValue]) {
    descriptor = nil
    self.nameOfBoolean = nameOfBoolean
    self.arguments = arguments
  }

  func read(_ comparison: inout QuerySyntax.Comparison) {
    comparison.left = word(comparison.left)
    comparison.right = word(comparison.right)
    if isOfBooleans(comparison.left) { comparison.right = numbers(comparison.right) }
    if isOfBooleans(comparison.right) { comparison.left = numbers(comparison.left) }
  }

  private func word(_ expression: QuerySyntax.Expression) -> QuerySyntax.Expression {
    guard case .property(let reference) = expression, reference.quantifier == nil,
      reference.suffix == nil, reference.path.steps.count == 1,
      case .property(let name)? = reference.path.steps.first?.value,
      let value = Self.words[name.lowercased()], descriptor?.property(name) == nil
    else { return expression }
    return .literal(.init(.bool(value), range: expression.range))
  }

  private static let words = ["yes": true, "no": false]

  /// Whether an expression is a path that ends in a property of booleans.
  private func isOfBooleans(_ expression: QuerySyntax.Expression) -> Bool {
    guard case .property(let reference) = expression, reference.suffix == nil else { return false }
    if descriptor == nil {
      return reference.path.steps.count == 1
        && nameOfBoolean.map { reference.path.steps[0].value == .property($0) } ?? false
    }
    var descriptor = descriptor
    var last: PropertyDescriptor?
    for (index, step) in reference.path.steps.enumerated() {
      var names: [String] = []
      switch step.value {
      // The variable of a subquery stands for the object itself.
      case .property(let name) where name.first == "$" && index == 0: break
      case .property(let name): names = [name]
      case .keyPathArgument(let number):
        guard arguments.indices.contains(number), case .string(let path) = arguments[number] else {
          return false
        }
        names = path.split(separator: ".").map(String.init)
      case .values, .index, .first, .last, .all, .key, .indexArgument, .placeArgument: break
      case .backlinks, .incomingLinks, .keys: return false
      }
      for name in names {
        last = descriptor?.property(name)
        descriptor = last?.targetClass
      }
    }
    return last.map { !$0.isComputed && $0.form.stored.type == .bool } ?? false
  }

  private func numbers(_ expression: QuerySyntax.Expression) -> QuerySyntax.Expression {
    switch expression {
    case .literal(var literal):
      literal.value = number(literal.value)
      return .literal(literal)
    case .list(var list):
      list.elements.value = list.elements.value.map {
        .init(number($0.value), range: $0.range)
      }
      return .list(list)
    case .argument(let quantifier, let index):
      if let elements = list(index.value) {
        let literals = elements.map { QuerySyntax.Located($0, range: index.range) }
        return .list(.init(.init(literals, range: index.range), quantifier: quantifier))
      }
      guard quantifier == nil, case .bool(let value) = number(.argument(index.value)) else {
        return expression
      }
      return .literal(.init(.bool(value), range: expression.range))
    default: return expression
    }
  }

  /// The elements of an argument that is a list of 0, 1, booleans and nulls.
  private func list(_ index: Int) -> [QuerySyntax.Literal]? {
    guard arguments.indices.contains(index), case .list(let elements) = arguments[index] else {
      return nil
    }
    var literals: [QuerySyntax.Literal] = []
    for element in elements {
      switch element {
      case .null: literals.append(.null)
      case .bool(let value): literals.append(.bool(value))
      case .int(let number) where 0...1 ~= number: literals.append(.bool(number == 1))
      default: return nil
      }
    }
    return literals
  }

  private func number(_ literal: QuerySyntax.Literal) -> QuerySyntax.Literal {
    switch literal {
    case .int(0), .int(1): return .bool(literal == .int(1))
    case .argument(let index) where arguments.indices.contains(index):
      guard case .int(let number) = arguments[index], 0...1 ~= number else { return literal }
      return .bool(number == 1)
    default: return literal
    }
  }
}
