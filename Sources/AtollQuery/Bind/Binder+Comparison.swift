internal import AtollObjects

// Comparisons: which operands an operator takes, and what becomes of constants.

extension Binder {
  mutating func bind(
    _ comparison: QuerySyntax.Comparison, on table: TableSchema
  ) throws(QueryError) -> BoundPredicate {
    let left = try bindOperand(comparison.left, on: table)
    let right = try bindOperand(comparison.right, on: table)
    let comparator = comparison.comparator.value
    let range = left.range.lowerBound..<max(left.range.lowerBound, right.range.upperBound)
    guard !left.isConstant || !right.isConstant else {
      throw error(
        .binding,
        "a comparison needs a property, and both \(source.quoted(left.range)) and "
          + "\(source.quoted(right.range)) are constants", at: range)
    }
    if let search = geoMembership(comparison, left) { return try bind(search, on: table) }
    if comparator == .in, !right.isMultiValued {
      throw error(
        .binding,
        "IN needs a list or a collection on its right, and \(source.quoted(right.range)) is a "
          + "single value", at: right.range, hint: "write `{…}` or use `==`")
    }
    if left.isTypeName || right.isTypeName {
      return try bindTypeTest(left, comparison, right, range)
    }
    try checkCollections(left, right, range)
    try checkOperator(left, comparison, right)

    // A constant object beside plain values equals none of them, and changes nothing else.
    let comparesObjects =
      (left.isOfObjects || right.isOfObjects) && !left.isOfPlainValues && !right.isOfPlainValues
    let isOrdered =
      comparator != .in && left.isSequence && right.isSequence && left.quantifier == nil
      && right.quantifier == nil && !comparesObjects
      && !(left.isPicked && right.isConstant) && !(right.isPicked && left.isConstant)
    var test = BoundTest(
      left: try bound(left, against: right, comparator), comparator: comparator,
      folding: comparison.folding, right: try bound(right, against: left, comparator),
      leftQuantifier: left.quantifier, rightQuantifier: right.quantifier, isOrdered: isOrdered,
      range: range)
    if !isOrdered, comparator == .equal || comparator == .notEqual, comparison.folding == .exact,
      left.quantifier == nil, right.quantifier == nil
    {
      if left.isSingleMixed, right.isList { test.comparesWholeLists = true }
      if right.isSingleMixed, left.isList {
        (test.left, test.right, test.comparesWholeLists) = (test.right, test.left, true)
      }
    }
    return .test(test)
  }

  // MARK: What an operator takes

  /// Two collections of values have no comparison; neither have many links and null.
  ///
  /// A null among other constants of a list is allowed: it equals none of many links.
  private func checkCollections(
    _ left: Operand, _ right: Operand, _ range: Range<Int>
  ) throws(QueryError) {
    if case .expression(.path(let a), _) = left.form,
      case .expression(.path(let b), _) = right.form, a.endsInCollection, b.endsInCollection
    {
      throw error(
        .binding,
        "two collections of values cannot be compared: \(source.quoted(left.range)) and "
          + source.quoted(right.range), at: range)
    }
    for (side, other) in [(left, right), (right, left)] {
      guard case .expression(.path(let path), .object) = side.form, path.reachesMany else {
        continue
      }
      let constants: [Constant] =
        switch other.form {
        case .constant(let constant): [constant]
        case .list(let constants): constants
        case .expression: []
        }
      if let null = constants.first, constants.allSatisfy(\.isNull) {
        throw error(
          .binding,
          "\(source.quoted(side.range)) leads to several objects and cannot be compared with null",
          at: null.range, hint: "compare its `@count` with 0")
      }
    }
  }

  private func checkOperator(
    _ left: Operand, _ comparison: QuerySyntax.Comparison, _ right: Operand
  ) throws(QueryError) {
    let comparator = comparison.comparator.value
    let place = comparison.comparator.range
    switch comparator {
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      for side in [left, right] where side.isOfObjects {
        throw error(
          .binding,
          "objects have no order: \(source.quoted(side.range)) can be compared with == and != only",
          at: place)
      }
    case .beginsWith, .endsWith, .contains, .like:
      for side in [left, right] { try checkText(side, comparator) }
    case .equal, .notEqual, .in: break
    }
    guard comparison.folding != .exact else { return }
    for side in [left, right] {
      for (type, range) in types(of: side) where !Self.isText(type, allowsData: false) {
        let mark = comparison.folding.rawValue
        throw error(
          .binding,
          "\(mark) is for strings, and \(source.quoted(range)) is of type "
            + type.name(in: schema), at: place,
          hint: "compare without \(mark): only letters have case and accents")
      }
    }
  }

  /// String operators are for strings and data; null is neither.
  private func checkText(
    _ side: Operand, _ comparator: QuerySyntax.Comparator
  ) throws(QueryError) {
    for (type, range) in types(of: side) {
      if type == .null {
        throw error(
          .binding, "\(comparator.rawValue) needs a string or data, not null", at: range,
          hint: "compare with NULL by == or !=")
      }
      guard Self.isText(type, allowsData: true) else {
        throw error(
          .binding,
          "\(comparator.rawValue) needs a string or data, and \(source.quoted(range)) is of type "
            + type.name(in: schema), at: range)
      }
    }
  }

  private static func isText(_ type: StaticType, allowsData: Bool) -> Bool {
    switch type {
    case .value(.string), .value(.mixed), .null: true
    case .value(.data): allowsData
    default: false
    }
  }

  /// The types of the side's constants, or of its expression.
  private func types(of side: Operand) -> [(StaticType, Range<Int>)] {
    switch side.form {
    case .expression(_, let type): [(type, side.range)]
    case .constant(let constant): [(type(of: constant), constant.range)]
    case .list(let constants): constants.map { (type(of: $0), $0.range) }
    }
  }

  func type(of constant: Constant) -> StaticType {
    if let object = constant.object { return .object(object.table) }
    switch constant.value {
    case .null: return .null
    case .link(let link): return .object(link.table)
    default: return .value(constant.value.type ?? .mixed)
    }
  }

  // MARK: Making constants fit

  /// The side with its constants made fit for the other side.
  private mutating func bound(
    _ side: Operand, against other: Operand, _ comparator: QuerySyntax.Comparator
  ) throws(QueryError) -> BoundExpression {
    switch side.form {
    case .expression(let expression, let type):
      if case .expression(_, let otherType) = other.form {
        guard type.isComparable(with: otherType) else { throw incomparable(side, type, otherType) }
      }
      return expression
    case .constant(let constant):
      return .constant(try bound(constant, against: other))
    case .list(let constants):
      // What does not compare with the other side equals none of its values.
      let isEquality = comparator == .in || comparator == .equal || comparator == .notEqual
      var bound: [BoundConstant] = []
      bound.reserveCapacity(constants.count)
      for constant in constants {
        bound.append(try self.bound(constant, against: other, ignoresOtherTypes: isEquality))
      }
      return .list(bound)
    }
  }

  /// `ignoresOtherTypes`: a constant that does not compare stays as it is, to equal nothing.
  mutating func bound(
    _ constant: Constant, against other: Operand, ignoresOtherTypes: Bool = false
  ) throws(QueryError) -> BoundConstant {
    guard case .expression(_, let otherType) = other.form else { return bound(constant, as: nil) }
    // Only a mixed value may be a list.
    if otherType != .value(.mixed), Self.elements(of: constant.value) != nil {
      throw error(
        .argument,
        "a single value is needed here, and argument $\(constant.argument ?? 0) is a list",
        at: constant.range)
    }
    let type = type(of: constant)
    // A decimal is read from the digits; what is no number does not compare with one of any size.
    if case .value(let wanted) = otherType, wanted != .decimal,
      wanted.isNumeric || wanted == .mixed
    {
      try requireInRange(constant, as: wanted)
    }
    switch (otherType, type) {
    case (_, .null), (.value(.mixed), _): return bound(constant, as: nil)
    case (.object(let wanted), .object(let found)):
      if wanted != found, found != ObjectLink.toNothing.table, !ignoresOtherTypes {
        throw error(
          constant.argument == nil ? .binding : .argument,
          "\(source.quoted(other.range)) links to class '\(className(wanted))', and "
            + "\(describe(constant)) is an object of class '\(className(found))'",
          at: constant.range)
      }
      return bound(constant, as: nil)
    case (.value(let wanted), .value):
      if Coercion.isNotFinite(constant.value), wanted == .int || !wanted.isNumeric {
        throw error(
          constant.argument == nil ? .binding : .argument,
          "\(describe(constant)) cannot be compared with \(source.quoted(other.range)) of type "
            + wanted.queryName, at: constant.range)
      }
      // Whether a string is a number depends on the string, also when this one is none.
      if case .string = constant.value, wanted.isNumeric { fitsOtherArguments = false }
      guard Coercion.coerced(constant.value, digits: constant.digits, to: wanted) != nil else {
        if ignoresOtherTypes { return bound(constant, as: nil) }
        throw incomparable(constant, type, other, otherType)
      }
      return bound(constant, as: wanted)
    default:
      if ignoresOtherTypes { return bound(constant, as: nil) }
      throw incomparable(constant, type, other, otherType)
    }
  }

  /// Refuses a literal that would silently become infinite beside a number of type `other`.
  func requireInRange(_ constant: Constant, as other: ValueType) throws(QueryError) {
    var value = constant.value
    if other == .float {
      value = Coercion.coerced(value, digits: constant.digits, to: .float) ?? value
    }
    guard Coercion.isOutOfRange(value, digits: constant.digits) else { return }
    let isFloat = if case .float = value { true } else { false }
    throw error(
      .binding,
      "the number \(source.quoted(constant.range)) is out of the range of a "
        + (isFloat ? "float" : "double"), at: constant.range,
      hint: "`inf` is infinity; "
        + (other == .mixed
          ? "an argument of type decimal may be larger"
          : "a property of type decimal compares with larger numbers"))
  }

  private func className(_ table: UInt32) -> String { schema.table(id: table)?.name ?? "?" }

  /// The constant in an error message.
  private func describe(_ constant: Constant) -> String {
    guard let argument = constant.argument else { return source.quoted(constant.range) }
    return "argument $\(argument) (\(Self.text(of: constant.value)))"
  }

  /// A value in an error message, cut short.
  private static func text(of value: Value) -> String {
    switch value {
    case .string(let text): "'\(QuerySyntaxError.shortened(text))'"
    case .int(let number): "\(number)"
    case .double(let number): "\(number)"
    case .float(let number): "\(number)"
    case .bool(let flag): "\(flag)"
    case .decimal(let number): "\(number)"
    default: value.typeName
    }
  }

  private func incomparable(_ side: Operand, _ a: StaticType, _ b: StaticType) -> QueryError {
    error(
      .binding,
      "a value of type \(a.name(in: schema)) cannot be compared with one of type "
        + b.name(in: schema), at: side.range)
  }

  private func incomparable(
    _ constant: Constant, _ type: StaticType, _ other: Operand, _ otherType: StaticType
  ) -> QueryError {
    var hint: String?
    if case .object(let table) = otherType, let target = schema.table(id: table),
      let key = target.primaryKey
    {
      hint =
        "compare with obj('\(target.name)', …), or the property "
        + "`\(source.text(in: other.range)).\(key.name)`"
    }
    if otherType == .value(.date), case .string(let text) = constant.value,
      let moment = Timestamp(text)
    {
      hint = "as a date it is \(moment)"
      if constant.argument == nil { hint = "a date is written 2026-01-31@12:30:00, without quotes" }
    }
    return error(
      constant.argument == nil ? .binding : .argument,
      "\(describe(constant)) of type \(type.name(in: schema)) cannot be compared with "
        + "\(source.quoted(other.range)) of type \(otherType.name(in: schema))",
      at: constant.range, hint: hint)
  }

  // MARK: BETWEEN

  mutating func bind(
    _ between: QuerySyntax.Between, on table: TableSchema
  ) throws(QueryError) -> BoundPredicate {
    let operand = try bindOperand(between.operand, on: table)
    let boundsOperand = try bindOperand(between.bounds.expression, on: table)
    let start = operand.range.lowerBound
    let range = start..<max(start, boundsOperand.range.upperBound)
    guard case .expression(let expression, let type) = operand.form else {
      throw error(
        .binding,
        "a comparison needs a property, and both \(source.quoted(operand.range)) and its bounds "
          + "are constants", at: range)
    }
    if case .list = between.bounds, case .list(let bounds) = boundsOperand.form,
      let list = bounds.first(where: { Self.elements(of: $0.value) != nil })
    {
      throw error(
        .argument, "a bound is a single value, and argument $\(list.argument ?? 0) is a list",
        at: list.range)
    }
    guard case .list(let bounds) = boundsOperand.form, bounds.count == 2,
      boundsOperand.quantifier == nil
    else {
      throw error(
        .binding, "BETWEEN needs exactly two bounds", at: boundsOperand.range,
        hint: "write `BETWEEN {low, high}`, or `BETWEEN $0` with a list of two")
    }
    guard !operand.isOfObjects, type != .typeName else {
      throw error(
        .binding, "\(source.quoted(operand.range)) has no order, so it lies in no range",
        at: operand.range)
    }
    var bound: [BoundConstant] = []
    for constant in bounds {
      if constant.isNull {
        throw error(.binding, "null is no bound of a range", at: constant.range)
      }
      bound.append(try self.bound(constant, against: operand))
    }
    return .between(
      BoundBetween(
        operand: expression, low: bound[0], high: bound[1], excludesHigh: between.excludesHigh,
        quantifier: operand.quantifier, range: range))
  }

  // MARK: @type

  private mutating func bindTypeTest(
    _ left: Operand, _ comparison: QuerySyntax.Comparison, _ right: Operand, _ range: Range<Int>
  ) throws(QueryError) -> BoundPredicate {
    let comparator = comparison.comparator.value
    let isEquality = comparator == .equal || comparator == .notEqual || comparator == .in
    guard isEquality, comparison.folding == .exact else {
      throw error(
        .binding, "@type can be compared by ==, != and IN only", at: comparison.comparator.range)
    }
    fitsOtherArguments = false
    guard left.isTypeName else {
      return try bindTypeTest(right, comparison, left, range)
    }
    var test = BoundTest(
      left: .list([]), comparator: comparator == .notEqual ? .notEqual : .equal,
      folding: .exact, right: .list([]), leftQuantifier: left.quantifier,
      rightQuantifier: right.quantifier ?? .any, isOrdered: false, range: range)
    guard case .expression(let expression, _) = left.form,
      case .typeName(let path) = expression
    else { throw error(.binding, "@type needs a path", at: left.range) }
    test.left = expression
    switch right.form {
    case .expression(.typeName(let other), _):
      guard path.isMixed || other.isMixed else {
        throw error(
          .binding,
          "the types of \(source.quoted(left.range)) and \(source.quoted(right.range)) "
            + "are known from the schema: neither is mixed", at: range)
      }
      test.right = .typeName(other)
      test.rightQuantifier = right.quantifier
      return .test(test)
    case .expression:
      throw error(
        .binding,
        "@type can be compared with a type name or another @type, not with "
          + source.quoted(right.range), at: right.range)
    case .constant(let constant):
      test.right = .list(try typeNames(constant))
      // Different from a name, or from all names of a group.
      if comparator == .notEqual {
        test.comparator = .equal
        test.rightQuantifier = QuerySyntax.Quantifier.none
      }
    case .list(let constants):
      var names: [BoundConstant] = []
      for constant in constants { names += try typeNames(constant) }
      test.right = .list(names)
    }
    guard path.isMixed else {
      throw error(
        .binding,
        "the type of \(source.quoted(left.range)) is known from the schema: it is not mixed",
        at: left.range)
    }
    return .test(test)
  }

  private func typeNames(_ constant: Constant) throws(QueryError) -> [BoundConstant] {
    guard case .string(let spelling) = constant.value else {
      throw error(
        constant.argument == nil ? .binding : .argument,
        "@type is compared with the name of a type, and \(source.quoted(constant.range)) is "
          + Self.article(constant.value.typeName), at: constant.range)
    }
    guard let names = TypeNames.canonical(spelling) else {
      throw error(
        constant.argument == nil ? .binding : .argument, "there is no type '\(spelling)'",
        at: constant.range, expected: TypeNames.spellings)
    }
    return names.map { .value(.string($0)) }
  }
}

extension Binder.Operand {
  var isTypeName: Bool {
    if case .expression(.typeName, _) = form { true } else { false }
  }

  /// Whether each object has one value that is picked out of a collection of it.
  var isPicked: Bool {
    if case .expression(.path(let path), _) = form { path.picksValue } else { false }
  }

  /// Whether the side has values in an order, as a list of constants or a path has.
  ///
  /// Counts and aggregates are one for each object that has what they are of.
  var isSequence: Bool {
    switch form {
    case .expression(.count, _), .expression(.aggregate, _): false
    default: isMultiValued
    }
  }

  /// Whether the side is one value of any type, or one for each of several objects.
  var isSingleMixed: Bool {
    guard case .expression(.path, .value(.mixed)) = form else { return false }
    return isPicked || !isMultiValued
  }

  var isList: Bool { if case .list = form { true } else { false } }

  /// Whether the side is an expression whose values are all of one type that has no objects.
  var isOfPlainValues: Bool {
    if case .expression(_, .value(let type)) = form { return type != .mixed }
    return false
  }

  /// Whether the side has objects for values.
  var isOfObjects: Bool {
    switch form {
    case .expression(_, let type):
      if case .object = type { return true }
      return false
    case .constant(let constant): return constant.isObject
    case .list(let constants): return constants.contains(where: \.isObject)
    }
  }
}

extension Binder.Constant {
  var isObject: Bool {
    if object != nil { return true }
    if case .link = value { return true }
    return false
  }
}

extension BoundPath {
  /// Whether the values at the end are of any type.
  var isMixed: Bool {
    if case .value(let column, _) = terminal { column.layout.value == .mixed } else { false }
  }
}
