internal import AtollObjects

// Operands: constants, paths, counts, aggregates, subqueries, arithmetic.

extension Binder {
  /// A constant before it is made fit for the other side.
  ///
  /// Small, as a list may have a million of them.
  struct Constant {
    /// What is known of a constant besides its value.
    enum Origin {
      case literal
      /// A floating-point literal with these digits.
      case number(digits: String)
      /// The argument of that number.
      case argument(Int)
      /// An object literal: the class and the primary key.
      indirect case object(table: UInt32, primaryKey: BoundConstant)
    }

    var value: Value
    var origin = Origin.literal
    var range: Range<Int>

    /// The digits of a floating-point literal.
    var digits: String? { if case .number(let digits) = origin { digits } else { nil } }
    /// The number of the argument it came from.
    var argument: Int? { if case .argument(let index) = origin { index } else { nil } }
    /// The class and the primary key of an object literal.
    var object: (table: UInt32, primaryKey: BoundConstant)? {
      if case .object(let table, let primaryKey) = origin { (table, primaryKey) } else { nil }
    }
    var isNull: Bool { object == nil && value.isNull }
  }

  /// One side of a comparison.
  struct Operand {
    enum Form {
      case constant(Constant)
      case list([Constant])
      case expression(BoundExpression, StaticType)
    }

    var form: Form
    var quantifier: QuerySyntax.Quantifier?
    var range: Range<Int>

    var isConstant: Bool {
      if case .expression = form { false } else { true }
    }

    var isMultiValued: Bool {
      switch form {
      case .constant: false
      case .list: true
      case .expression(let expression, _): expression.isMultiValued
      }
    }
  }

  mutating func bindOperand(
    _ expression: QuerySyntax.Expression, on table: TableSchema
  ) throws(QueryError) -> Operand {
    let range = expression.range
    switch expression {
    case .literal(let literal):
      return Operand(form: .constant(try constant(literal, on: table)), range: range)
    case .list(let list):
      return Operand(
        form: .list(try constants(list, on: table)), quantifier: list.quantifier?.value,
        range: range)
    case .argument(let quantifier, let index):
      let value = try argument(index.value, at: index.range)
      if let elements = Self.elements(of: value) {
        fitsOtherArguments = false
        return Operand(
          form: .list(
            elements.map { Constant(value: $0, origin: .argument(index.value), range: index.range) }
          ),
          quantifier: quantifier?.value, range: range)
      }
      if let quantifier {
        throw error(
          .argument,
          "\(quantifier.value.rawValue) needs a list, and argument $\(index.value) is "
            + Self.article(value.typeName), at: quantifier.range)
      }
      return Operand(
        form: .constant(Constant(value: value, origin: .argument(index.value), range: index.range)),
        range: range)
    case .property(let reference):
      return try bind(reference, on: table, range: range)
    case .aggregate(let aggregate):
      let (bound, type) = try bind(aggregate, on: table)
      return Operand(form: .expression(.aggregate(bound), .value(type)), range: range)
    case .subquery(let subquery):
      let bound = try bind(subquery.value, on: table)
      return Operand(form: .expression(.subquery(bound), .value(.int)), range: range)
    case .arithmetic(let arithmetic):
      return try bind(arithmetic, on: table, range: range)
    }
  }

  // MARK: Constants

  /// The argument at `index`.
  mutating func argument(_ index: Int, at range: Range<Int>) throws(QueryError) -> Value {
    guard index >= 0, index < arguments.count else {
      let given =
        switch arguments.count {
        case 0: "no arguments were given"
        case 1: "only 1 argument was given"
        default: "only \(arguments.count) arguments were given"
        }
      throw error(.argument, "there is no argument $\(index): \(given)", at: range)
    }
    argumentCount = max(argumentCount, index + 1)
    return arguments[index]
  }

  static func elements(of value: Value) -> [Value]? {
    switch value {
    case .list(let elements), .set(let elements): elements
    default: nil
    }
  }

  private mutating func constants(
    _ list: QuerySyntax.ListLiteral, on table: TableSchema
  ) throws(QueryError) -> [Constant] {
    var constants: [Constant] = []
    constants.reserveCapacity(list.elements.value.count)
    for element in list.elements.value { constants.append(try constant(element, on: table)) }
    return constants
  }

  private mutating func constant(
    _ literal: QuerySyntax.Located<QuerySyntax.Literal>, on table: TableSchema
  ) throws(QueryError) -> Constant {
    let range = literal.range
    switch literal.value {
    case .argument(let index):
      // In braces, a list is one value: what a mixed property may hold.
      let value = try argument(index, at: range)
      if Self.elements(of: value) != nil { fitsOtherArguments = false }
      return Constant(value: value, origin: .argument(index), range: range)
    case .object(let className, let key):
      return try object(className, key, at: range)
    default:
      let (value, digits) = Self.value(of: literal.value)
      return Constant(
        value: value, origin: digits.map { .number(digits: $0) } ?? .literal, range: range)
    }
  }

  /// The value of a literal that is no argument and no object.
  static func value(of literal: QuerySyntax.Literal) -> (Value, digits: String?) {
    switch literal {
    case .null, .argument, .object: (.null, nil)
    case .bool(let value): (.bool(value), nil)
    case .int(let value): (.int(value), nil)
    case .double(let text): (.double(text.doubleValue), text.digits)
    case .float32(let text): (.float(text.floatValue), text.digits)
    case .infinity(let isNegative): (.double(isNegative ? -.infinity : .infinity), nil)
    case .notANumber: (.double(.nan), nil)
    case .string(let value): (.string(value), nil)
    case .data(let bytes): (.data(bytes), nil)
    case .decimal(let digits): (Decimal128(digits).map { .decimal($0) } ?? .null, nil)
    case .date(let seconds, let nanoseconds):
      (Timestamp(seconds: seconds, nanoseconds: nanoseconds).map { .date($0) } ?? .null, nil)
    case .objectID(let bytes):
      (ObjectID(Self.hexadecimal(bytes)).map { .objectID($0) } ?? .null, nil)
    case .uuid(let bytes):
      (.uuid(UniqueID(high: Self.number(bytes.prefix(8)), low: Self.number(bytes.suffix(8)))), nil)
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// `obj('Class', key)`: the class must exist and the key be of its primary key's type.
  private mutating func object(
    _ className: QuerySyntax.Located<String>, _ key: QuerySyntax.Located<QuerySyntax.ObjectKey>,
    at range: Range<Int>
  ) throws(QueryError) -> Constant {
    guard let table = schema.table(className.value) else {
      throw error(
        .binding, "there is no class '\(className.value)'", at: className.range,
        hint: nearest(className.value, among: schema.visibleTables.map(\.name)))
    }
    guard let primaryKey = table.primaryKey else {
      throw error(
        .binding, "class '\(table.name)' has no primary key to find an object by",
        at: className.range)
    }
    let value: Value
    let bound: BoundConstant
    var kind = QueryError.Kind.binding
    if case .argument(let index) = key.value {
      value = try argument(index, at: key.range)
      bound = .argument(index: index, type: nil)
      kind = .argument
    } else {
      value = Self.value(of: key.value.literal).0
      bound = .value(value)
    }
    guard value.type == primaryKey.layout.value else {
      throw error(
        kind,
        "the primary key '\(table.name).\(primaryKey.name)' is of type "
          + "\(primaryKey.layout.value.queryName), not \(value.typeName)",
        at: key.range)
    }
    return Constant(
      value: .null, origin: .object(table: table.id, primaryKey: bound), range: range)
  }

  // MARK: Paths with suffix

  private mutating func bind(
    _ reference: QuerySyntax.PropertyReference, on table: TableSchema, range: Range<Int>
  ) throws(QueryError) -> Operand {
    let quantifier = reference.quantifier
    let form: Operand.Form
    var hasCollection = true
    switch reference.suffix?.value {
    case .count:
      let count = try bindCount(reference.path, on: table)
      hasCollection = count.base.dropsNulls
      form = .expression(.count(count), .value(.int))
    case .type:
      let (path, _) = try bindPath(reference.path, on: table)
      hasCollection = path.hasCollection
      form = .expression(.typeName(path), .typeName)
    case nil:
      if case .incomingLinks = reference.path.steps.last?.value {
        throw error(
          .binding, "`@links` alone can only be counted", at: reference.path.range,
          hint: "write `@links.@count` or `@links.Class.property`")
      }
      let (path, type) = try bindPath(reference.path, on: table)
      hasCollection = path.hasCollection
      form = .expression(.path(path), type)
    }
    if let quantifier, !hasCollection {
      throw error(
        .binding,
        "\(quantifier.value.rawValue) needs a collection in its path, and "
          + "\(source.quoted(reference.path.range)) has none", at: quantifier.range)
    }
    return Operand(form: form, quantifier: quantifier?.value, range: range)
  }

  private mutating func bindCount(
    _ path: QuerySyntax.Path, on table: TableSchema
  ) throws(QueryError) -> BoundCount {
    if case .incomingLinks = path.steps.last?.value {
      var base = BoundPath(root: table.id)
      if path.steps.count > 1 {
        var prefix = path
        prefix.steps.removeLast()
        var (bound, type) = try bindPath(prefix, on: table)
        guard case .object = type else {
          throw error(
            .binding, "`@links` must follow a path to objects", at: path.range)
        }
        if case .value(let column, _) = bound.terminal { bound.hops.append(.link(column)) }
        bound.terminal = .object
        base = bound
      }
      let columns = schema.incomingLinks(to: base.lastTable).map(\.column)
      return BoundCount(base: base, counted: .incoming(columns))
    }

    var (bound, type) = try bindPath(path, on: table)
    switch bound.terminal {
    case .object:
      guard let hop = bound.hops.popLast() else {
        throw error(.binding, "an object cannot be counted", at: path.range)
      }
      switch hop {
      case .link(let column): return BoundCount(base: bound, counted: .link(column))
      case .mapEntry(let column, let key):
        return BoundCount(base: bound, counted: .mapEntry(column, key: key))
      case .element(let column, let position):
        return BoundCount(base: bound, counted: .element(column, position))
      case .links(let column): return BoundCount(base: bound, counted: .collection(column))
      case .backlinks(let column): return BoundCount(base: bound, counted: .backlinks(column))
      }
    case .keys(let column): return BoundCount(base: bound, counted: .collection(column))
    case .elementLengths:
      throw error(.binding, "nothing can follow `length`", at: path.range)
    case .value(let column, let steps):
      if column.layout.value == .link { return BoundCount(base: bound, counted: .link(column)) }
      if steps.isEmpty, column.layout.collection != .none {
        return BoundCount(base: bound, counted: .collection(column))
      }
      if steps == [.all], column.layout.value != .mixed {
        return BoundCount(base: bound, counted: .collection(column))
      }
      switch column.layout.value {
      case .mixed: return BoundCount(base: bound, counted: .nested(column, steps))
      case .string, .data:
        if steps.isEmpty { return BoundCount(base: bound, counted: .bytes(column)) }
        return BoundCount(base: bound, counted: .nested(column, steps))
      default:
        throw error(
          .binding,
          "@count needs a collection, a link, a string or data, and '\(name(of: column))' is "
            + "of type \(type.name(in: schema))", at: path.range)
      }
    }
  }

  // MARK: Subqueries

  private mutating func bind(
    _ subquery: QuerySyntax.Subquery, on table: TableSchema
  ) throws(QueryError) -> BoundSubquery {
    let (path, type) = try bindPath(subquery.source, on: table)
    var isMany = false
    if case .object = path.terminal, let hop = path.hops.last {
      switch hop {
      case .links, .backlinks: isMany = true
      case .link, .mapEntry, .element: break
      }
    }
    guard isMany, let target = schema.table(id: path.lastTable) else {
      throw error(
        .binding,
        "SUBQUERY needs a collection of links or a backlink, and "
          + "\(source.quoted(subquery.source.range)) is "
          + Self.article(Self.collectionName(path) ?? type.name(in: schema)),
        at: subquery.source.range)
    }
    let name = subquery.variable.value
    guard !variables.contains(where: { $0.name == name }) else {
      throw error(
        .binding, "the variable '\(name)' is used by a SUBQUERY around this one",
        at: subquery.variable.range)
    }
    variables.append((name, target.id))
    enclosingHopCount += path.hops.count
    defer {
      variables.removeLast()
      enclosingHopCount -= path.hops.count
    }
    return BoundSubquery(path: path, predicate: try bind(subquery.predicate, on: target))
  }

  /// The type of the collection that a path ends in as a whole; nil when it ends in one value.
  private static func collectionName(_ path: BoundPath) -> String? {
    let column: Column? =
      switch (path.terminal, path.hops.last) {
      case (.value(let column, let steps), _) where steps.isEmpty: column
      case (.object, .links(let column)): column
      default: nil
      }
    guard let layout = column?.layout, layout.collection != .none else { return nil }
    return layout.description
  }

  // MARK: Arithmetic

  private mutating func bind(
    _ arithmetic: QuerySyntax.Arithmetic, on table: TableSchema, range: Range<Int>
  ) throws(QueryError) -> Operand {
    var first = try bindOperand(arithmetic.first, on: table)
    try requireNumber(first)
    var type = Self.type(of: first)
    var quantifier = first.quantifier
    var rest: [(QuerySyntax.ArithmeticFunction, BoundExpression)] = []
    var manyValued = first.isMultiValued ? 1 : 0
    for term in arithmetic.rest {
      var operand = try bindOperand(term.operand, on: table)
      try requireNumber(operand)
      if rest.isEmpty {
        first = try fitted(first, beside: Self.type(of: operand))
        type = Self.type(of: first)
      }
      operand = try fitted(operand, beside: type)
      if operand.isMultiValued { manyValued += 1 }
      guard manyValued < 2 else {
        throw error(
          .binding, "only one operand of an arithmetic operation may have several values",
          at: operand.range)
      }
      quantifier = quantifier ?? operand.quantifier
      if rest.isEmpty, case .constant(let a) = first.form, case .constant(let b) = operand.form {
        // Constants are computed before they are made fit for the other side.
        fitsOtherArguments = false
        let value = ValueArithmetic.apply(term.function.value, a.value, b.value)
        first.form = .constant(Constant(value: value, range: range))
        type = Self.type(of: first)
        continue
      }
      type = ValueArithmetic.resultType(type, Self.type(of: operand))
      rest.append((term.function.value, try plain(operand)))
    }
    first.range = range
    guard !rest.isEmpty else { return first }
    let expression = BoundExpression.arithmetic(try plain(first), rest)
    return Operand(
      form: .expression(expression, .value(type)), quantifier: quantifier, range: range)
  }

  private static func type(of operand: Operand) -> ValueType {
    switch operand.form {
    case .expression(_, .value(let type)): type
    case .constant(let constant): constant.value.type ?? .mixed
    default: .mixed
    }
  }

  /// The operand as an expression; its constants stay as they are.
  private mutating func plain(_ operand: Operand) throws(QueryError) -> BoundExpression {
    switch operand.form {
    case .expression(let expression, _): return expression
    case .constant(let constant): return .constant(bound(constant, as: nil))
    case .list(let constants): return .list(constants.map { bound($0, as: nil) })
    }
  }

  /// The operand with its literals as they are computed with a number of type `other`.
  private func fitted(
    _ operand: Operand, beside other: ValueType
  ) throws(QueryError) -> Operand {
    var operand = operand
    switch operand.form {
    case .constant(let constant): operand.form = .constant(try fitted(constant, beside: other))
    case .list(let constants):
      var fitting: [Constant] = []
      for constant in constants { fitting.append(try fitted(constant, beside: other)) }
      operand.form = .list(fitting)
    case .expression: break
    }
    return operand
  }

  /// The literal in the type that it is computed in: a decimal is read from the digits.
  ///
  /// A literal beside a float stays a double, and so does what the two give.
  private func fitted(_ constant: Constant, beside other: ValueType) throws(QueryError) -> Constant
  {
    guard let digits = constant.digits else { return constant }
    guard other == .decimal else {
      try requireInRange(constant, as: other == .mixed ? .mixed : .double)
      return constant
    }
    var fitting = constant
    fitting.value = Coercion.coerced(constant.value, digits: digits, to: .decimal) ?? constant.value
    return fitting
  }

  private func requireNumber(_ operand: Operand) throws(QueryError) {
    let types: [String] =
      switch operand.form {
      case .expression(_, let type):
        type == .value(.mixed) || Self.isNumeric(type) ? [] : [type.name(in: schema)]
      case .constant(let constant):
        constant.object == nil && constant.value.type?.isNumeric == true
          ? [] : [constant.object == nil ? constant.value.typeName : "link"]
      case .list(let constants):
        constants.filter { $0.value.type?.isNumeric != true }.map { $0.value.typeName }
      }
    guard let type = types.first else { return }
    throw error(
      .binding,
      "arithmetic needs numbers, and \(source.quoted(operand.range)) is of type \(type)",
      at: operand.range)
  }

  static func isNumeric(_ type: StaticType) -> Bool {
    if case .value(let type) = type { type.isNumeric } else { false }
  }

  /// The constant as it is looked up in a run, made fit for a property of type `type`.
  func bound(_ constant: Constant, as type: ValueType?) -> BoundConstant {
    if let object = constant.object {
      return .object(table: object.table, primaryKey: object.primaryKey)
    }
    if let argument = constant.argument, Self.elements(of: arguments[argument]) == nil {
      return .argument(index: argument, type: type)
    }
    guard let type else { return .value(constant.value) }
    return .value(
      Coercion.coerced(constant.value, digits: constant.digits, to: type) ?? constant.value)
  }
}
