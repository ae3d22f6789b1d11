import AtollObjects
import AtollQuery
import Foundation

/// Objects as dictionaries, and the query language read off its rules on them, a row at a time.
///
/// Shares the syntax tree and the comparison of two single values with the executor, and nothing
/// else: no binding, no plan, no columns.
struct NaiveWorld {
  let classes: [ClassSchema]
  let tables: [String: UInt32]
  /// By class and key.
  let objects: [String: [UInt64: [String: Value]]]

  /// A rule that is read wrongly on purpose; nil: none.
  var mistake: Mistake?

  /// Mistakes that an executor could make, each in one rule.
  enum Mistake: CaseIterable {
    case lessOrEqualIsLess
    case greaterIsGreaterOrEqual
    case nullIsZero
    case nullDiffersFromNull
    case tiesAreReversed
    case lowerBoundIsOut
    case oneObjectTooFew
    case noneIsAny
    case likeNeedsACharacter
    case distinctKeepsBrokenPaths
    case backlinksCountOnce
    case divisionByZeroIsNull
    case integersBecomeDoubles
  }

  struct Row {
    var className: String
    var key: UInt64
  }

  /// The values of an expression: groups, of which one has to pass.
  private typealias Groups = [[Value]]

  func keys(_ request: QuerySyntax.Request, on className: String) -> [UInt64] {
    var rows = (objects[className] ?? [:]).keys.sorted().map { Row(className: className, key: $0) }
    rows = rows.filter { holds(request.predicate, $0) }
    for descriptor in request.descriptors {
      switch descriptor {
      case .limit(let count):
        rows = Array(rows.prefix(Int(count) - (mistake == .oneObjectTooFew && count > 0 ? 1 : 0)))
      case .distinct(let paths):
        var seen: [[Value]] = []
        rows = rows.filter { row in
          var key: [Value] = []
          for path in paths {
            guard let value = single(path, row) else {
              return mistake == .distinctKeepsBrokenPaths
            }
            key.append(value)
          }
          if seen.contains(where: { zip($0, key).allSatisfy { Value.sortOrder($0, $1) == .equal } })
          {
            return false
          }
          seen.append(key)
          return true
        }
      case .sort(let sortKeys):
        rows = rows.enumerated().sorted { a, b in
          for key in sortKeys {
            var order: Int
            switch (single(key.path, a.element), single(key.path, b.element)) {
            case (nil, nil): order = 0
            case (nil, _?): order = 1
            case (_?, nil): order = -1
            case (let x?, let y?): order = Int(Value.sortOrder(x, y).rawValue)
            }
            if !key.isAscending { order = -order }
            if order != 0 { return order < 0 }
          }
          return mistake == .tiesAreReversed ? a.offset > b.offset : a.offset < b.offset
        }.map(\.element)
      }
    }
    return rows.map(\.key)
  }

  /// The value at the end of a path of links to one object; nil when a link is null.
  private func single(_ path: QuerySyntax.Path, _ row: Row) -> Value? {
    var current = row
    for step in path.steps.dropLast() {
      guard case .property(let name) = step.value,
        case .link(let link) = value(current, name)
      else { return nil }
      current = Row(className: target(current.className, name), key: link.key)
    }
    guard case .property(let name) = path.steps.last?.value else { return nil }
    return value(current, name)
  }

  private func value(_ row: Row, _ name: String) -> Value {
    objects[row.className]?[row.key]?[name] ?? .null
  }

  private func property(_ className: String, _ name: String) -> PropertySchema? {
    classes.first { $0.name == className }?[name]
  }

  private func target(_ className: String, _ name: String) -> String {
    property(className, name)?.linkTarget ?? ""
  }

  // MARK: Predicates

  private func holds(_ predicate: QuerySyntax.Predicate, _ row: Row) -> Bool {
    switch predicate {
    case .true: return true
    case .false: return false
    case .and(let terms): return terms.allSatisfy { holds($0, row) }
    case .or(let terms): return terms.contains { holds($0, row) }
    case .not(let inner): return !holds(inner, row)
    case .text, .geoWithin: return false
    case .between(let between):
      guard case .list(let bounds) = between.bounds else { return false }
      let low = constant(bounds.elements.value[0].value, like: between.operand, row)
      let high = constant(bounds.elements.value[1].value, like: between.operand, row)
      return groups(between.operand, row).contains { group in
        quantified(quantifier(of: between.operand) ?? .any, group) {
          !$0.isNull
            && compare(mistake == .lowerBoundIsOut ? .greater : .greaterOrEqual, $0, low)
            && compare(between.excludesHigh ? .less : .lessOrEqual, $0, high)
        }
      }
    case .comparison(let comparison): return holds(comparison, row)
    }
  }

  private func holds(_ comparison: QuerySyntax.Comparison, _ row: Row) -> Bool {
    let left = groups(comparison.left, row, other: comparison.right)
    let right = groups(comparison.right, row, other: comparison.left)
    let leftQuantifier = quantifier(of: comparison.left)
    let rightQuantifier = quantifier(of: comparison.right)
    let comparator =
      comparison.comparator.value == .in
      ? QuerySyntax.Comparator.equal : comparison.comparator.value
    let folds = comparison.folding
    let ofLinks = (left + right).contains {
      $0.contains { if case .link = $0 { true } else { false } }
    }
    let isOrdered =
      comparison.comparator.value != .in && leftQuantifier == nil && rightQuantifier == nil
      && !ofLinks && isSequence(comparison.left, row.className)
      && isSequence(comparison.right, row.className)
    return left.contains { a in
      right.contains { b in
        if isOrdered {
          let isNegated = comparator == .notEqual
          let same =
            a.count == b.count
            && zip(a, b).allSatisfy { compare(isNegated ? .equal : comparator, $0, $1, folds) }
          return isNegated ? !same : same
        }
        return quantified(leftQuantifier ?? .any, a) { x in
          quantified(rightQuantifier ?? .any, b) { y in compare(comparator, x, y, folds) }
        }
      }
    }
  }

  /// Whether an expression has values in an order: counts and aggregates have not.
  private func isSequence(_ expression: QuerySyntax.Expression, _ className: String) -> Bool {
    switch expression {
    case .aggregate: false
    case .property(let reference) where reference.suffix?.value == .count: false
    default: isMany(expression, className)
    }
  }

  private func quantified(
    _ quantifier: QuerySyntax.Quantifier, _ values: [Value], _ test: (Value) -> Bool
  ) -> Bool {
    switch quantifier {
    case .any: values.contains(where: test)
    case .all: values.allSatisfy(test)
    case .none: values.contains(where: test) == (mistake == .noneIsAny)
    }
  }

  /// The rules of section 3, on two values.
  private func compare(
    _ comparator: QuerySyntax.Comparator, _ a: Value, _ b: Value,
    _ folds: QuerySyntax.Folding = .exact
  ) -> Bool {
    var (comparator, a, b) = (comparator, a, b)
    switch (mistake, comparator) {
    case (.lessOrEqualIsLess, .lessOrEqual): comparator = .less
    case (.greaterIsGreaterOrEqual, .greater): comparator = .greaterOrEqual
    case (.nullIsZero, _):
      if a.isNull { a = .int(0) }
      if b.isNull { b = .int(0) }
    case (.nullDiffersFromNull, .equal) where a.isNull && b.isNull: return false
    default: break
    }
    switch comparator {
    case .equal, .in: return equal(a, b, folds)
    case .notEqual: return !equal(a, b, folds)
    case .less: return ordered(a, b) == .less
    case .greater: return ordered(a, b) == .greater
    case .lessOrEqual: return ordered(a, b) == .less || ordered(a, b) == .equal
    case .greaterOrEqual: return ordered(a, b) == .greater || ordered(a, b) == .equal
    case .beginsWith, .endsWith, .contains, .like:
      guard let x = scalars(a, folds), let y = scalars(b, folds) else { return false }
      switch (a, b) {
      case (.string, .string), (.data, .data): break
      default: return false
      }
      switch comparator {
      case .beginsWith: return x.starts(with: y)
      case .endsWith: return x.reversed().starts(with: y.reversed())
      case .contains:
        return y.isEmpty || x.indices.contains { x[$0...].starts(with: y) }
      default: return like(x, y)
      }
    }
  }

  /// The code points of a string, or the bytes of data.
  private func scalars(_ value: Value, _ folds: QuerySyntax.Folding) -> [UInt32]? {
    switch value {
    case .string(let text): folded(text, folds).unicodeScalars.map(\.value)
    case .data(let bytes): bytes.map { UInt32($0) }
    default: nil
    }
  }

  /// Folding by Foundation's decomposition and the standard library's lower case.
  private func folded(_ text: String, _ folding: QuerySyntax.Folding) -> String {
    var scalars = Array(text.unicodeScalars)
    if folding == .ignoringDiacritics || folding == .ignoringCaseAndDiacritics {
      scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars
        .filter { $0.properties.generalCategory != .nonspacingMark }
    }
    if folding == .ignoringCase || folding == .ignoringCaseAndDiacritics {
      scalars = scalars.flatMap { $0.properties.lowercaseMapping.unicodeScalars }
    }
    var folded = String.UnicodeScalarView()
    folded.append(contentsOf: scalars)
    return String(folded)
  }

  /// LIKE by dynamic programming.
  private func like(_ text: [UInt32], _ pattern: [UInt32]) -> Bool {
    var reachable = [Bool](repeating: false, count: text.count + 1)
    reachable[0] = true
    for item in pattern {
      var next = [Bool](repeating: false, count: text.count + 1)
      if item == 0x2A {
        var isOpen = false
        if mistake == .likeNeedsACharacter {
          for index in 0..<text.count {
            isOpen = isOpen || reachable[index]
            next[index + 1] = isOpen
          }
          reachable = next
          continue
        }
        for index in 0...text.count {
          isOpen = isOpen || reachable[index]
          next[index] = isOpen
        }
      } else {
        for index in 0..<text.count where reachable[index] {
          if item == 0x3F || item == text[index] { next[index + 1] = true }
        }
      }
      reachable = next
    }
    return reachable[text.count]
  }

  private func equal(_ a: Value, _ b: Value, _ folds: QuerySyntax.Folding) -> Bool {
    if folds != .exact, case .string = a, case .string = b {
      return scalars(a, folds) == scalars(b, folds)
    }
    switch (a, b) {
    case (.decimal, .double), (.decimal, .float), (.double, .decimal), (.float, .decimal):
      return ordered(a, b) == .equal
    default: return Value.equal(a, b)
    }
  }

  private func ordered(_ a: Value, _ b: Value) -> Ordering? {
    switch (a, b) {
    case (.decimal, .double), (.decimal, .float), (.double, .decimal), (.float, .decimal):
      guard let x = a.promotedToDecimal, let y = b.promotedToDecimal else { return nil }
      return Decimal128.order(x, y)
    default: return Value.ordered(a, b)
    }
  }

  // MARK: Expressions

  private func quantifier(of expression: QuerySyntax.Expression) -> QuerySyntax.Quantifier? {
    switch expression {
    case .property(let reference): reference.quantifier?.value
    case .list(let list): list.quantifier?.value
    case .arithmetic(let arithmetic):
      arithmetic.operands.lazy.compactMap { quantifier(of: $0) }.first
    default: nil
    }
  }

  private func isMany(_ expression: QuerySyntax.Expression, _ className: String) -> Bool {
    switch expression {
    case .list: return true
    case .property(let reference):
      let (isMany, last) = shape(reference.path, className)
      if reference.suffix != nil { return isMany }
      return isMany || last
    case .aggregate(let aggregate):
      var path = aggregate.path
      path.steps.removeLast()
      return shape(path, className).reachesMany
    case .arithmetic(let arithmetic):
      return arithmetic.operands.contains { isMany($0, className) }
    default: return false
    }
  }

  /// Whether a hop before the last step leads to many, and whether the last step is a collection.
  private func shape(
    _ path: QuerySyntax.Path, _ className: String
  ) -> (reachesMany: Bool, endsInCollection: Bool) {
    var current = className
    var isMany = false
    for (position, step) in path.steps.enumerated() {
      let isLast = position == path.steps.count - 1
      switch step.value {
      case .property(let name):
        let property = property(current, name)
        let isCollection = property.map { $0.collection != .none } ?? false
        if isLast { return (isMany, isCollection) }
        isMany = isMany || isCollection
        current = property?.linkTarget ?? ""
      case .backlinks(let origin, _):
        if isLast { return (isMany, true) }
        isMany = true
        current = origin.value
      default: return (isMany, false)
      }
    }
    return (isMany, false)
  }

  /// The objects at the end of steps, and whether a null link was met on the way.
  private func follow(
    _ steps: ArraySlice<QuerySyntax.Located<QuerySyntax.PathStep>>, _ row: Row
  ) -> (rows: [Row], isMany: Bool, isNull: Bool) {
    var rows = [row]
    var isMany = false
    var className = row.className
    for step in steps {
      switch step.value {
      case .property(let name):
        if property(className, name)?.collection != CollectionKind.none { isMany = true }
        let next = target(className, name)
        rows = rows.flatMap { links(value($0, name)).map { Row(className: next, key: $0.key) } }
        className = next
      case .backlinks(let origin, let property):
        isMany = true
        rows = rows.flatMap { row in sources(origin.value, property.value, row) }
        className = origin.value
      default: break
      }
    }
    return (rows, isMany, !isMany && rows.isEmpty)
  }

  private func links(_ value: Value) -> [ObjectLink] {
    switch value {
    case .link(let link): [link]
    case .list(let elements), .set(let elements): elements.flatMap { links($0) }
    default: []
    }
  }

  private func sources(_ origin: String, _ property: String, _ row: Row) -> [Row] {
    (objects[origin] ?? [:]).keys.sorted().flatMap { key in
      let source = Row(className: origin, key: key)
      let count = links(value(source, property)).count { $0.key == row.key }
      let seen = mistake == .backlinksCountOnce ? min(1, count) : count
      return [Row](repeating: source, count: seen)
    }
  }

  private func groups(
    _ expression: QuerySyntax.Expression, _ row: Row, other: QuerySyntax.Expression? = nil
  ) -> Groups {
    switch expression {
    case .literal(let literal):
      return [[other.map { constant(literal.value, like: $0, row) } ?? .null]]
    case .list(let list):
      return [
        list.elements.value.map { element in
          other.map { constant(element.value, like: $0, row) } ?? .null
        }
      ]
    case .property(let reference): return groups(reference, row)
    case .aggregate(let aggregate): return [self.aggregate(aggregate, row)]
    case .arithmetic(let arithmetic):
      var result = operand(arithmetic.first, row)
      for term in arithmetic.rest {
        let others = operand(term.operand, row)
        result = result.flatMap { group in
          others.map { other in
            group.flatMap { a in other.map { b in computed(term.function.value, a, b) } }
          }
        }
      }
      return result
    default: return []
    }
  }

  /// The values of an operand of arithmetic; a number is what it was written as.
  private func operand(_ expression: QuerySyntax.Expression, _ row: Row) -> Groups {
    guard case .literal(let literal) = expression else { return groups(expression, row) }
    switch literal.value {
    case .int(let value): return [[.int(value)]]
    case .double(let text): return [[.double(text.doubleValue)]]
    case .float32(let text): return [[.float(text.floatValue)]]
    default: return []
    }
  }

  /// The rules of section 3.11: integers in so many bits that nothing overflows, then cut.
  private func computed(
    _ function: QuerySyntax.ArithmeticFunction, _ a: Value, _ b: Value
  ) -> Value {
    switch (a, b) {
    case (.int(let x), .int(let y)) where mistake != .integersBecomeDoubles:
      if function == .dividedBy, y == 0 {
        return mistake == .divisionByZeroIsNull ? .null : .int(x < 0 ? .min : .max)
      }
      let (x, y) = (Int128(x), Int128(y))
      let wide =
        switch function {
        case .plus: x + y
        case .minus: x - y
        case .times: x * y
        case .dividedBy: x / y
        }
      return .int(Int64(truncatingIfNeeded: wide))
    case (.float, .float), (.float, .int), (.int, .float):
      guard let x = float(a), let y = float(b) else { return .null }
      return .float(computed(function, x, y))
    case (.decimal, _), (_, .decimal):
      guard let x = a.promotedToDecimal, let y = b.promotedToDecimal else { return .null }
      switch function {
      case .plus: return .decimal(x + y)
      case .minus: return .decimal(x - y)
      case .times: return .decimal(x * y)
      case .dividedBy: return .decimal(x / y)
      }
    default:
      guard let x = double(a), let y = double(b) else { return .null }
      return .double(computed(function, x, y))
    }
  }

  private func computed<T: FloatingPoint>(
    _ function: QuerySyntax.ArithmeticFunction, _ x: T, _ y: T
  ) -> T {
    switch function {
    case .plus: x + y
    case .minus: x - y
    case .times: x * y
    case .dividedBy: x / y
    }
  }

  private func float(_ value: Value) -> Float? {
    switch value {
    case .int(let number): Float(number)
    case .float(let number): number
    default: nil
    }
  }

  private func double(_ value: Value) -> Double? {
    switch value {
    case .int(let number): Double(number)
    case .float(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }

  private func groups(_ reference: QuerySyntax.PropertyReference, _ row: Row) -> Groups {
    let steps = reference.path.steps
    guard let last = steps.last else { return [] }
    let (rows, isMany, isNull) = follow(steps.dropLast(), row)
    if reference.suffix?.value == .count {
      if case .incomingLinks = last.value {
        var total = 0
        for row in rows {
          for origin in classes {
            for property in origin.properties where property.linkTarget == row.className {
              total += sources(origin.name, property.name, row).count
            }
          }
        }
        return [[.int(Int64(total))]]
      }
      if isNull {
        if case .property(let name) = last.value, name == "so" { return [[.null]] }
        return [[.int(0)]]
      }
      return [rows.map { count(last.value, $0) }]
    }
    guard case .property(let name) = last.value else {
      guard case .backlinks(let origin, let property) = last.value else { return [] }
      return [
        rows.flatMap { sources(origin.value, property.value, $0) }.map {
          .link(ObjectLink(table: tables[$0.className] ?? 0, key: $0.key))
        }
      ]
    }
    var className = row.className
    for step in steps.dropLast() {
      switch step.value {
      case .property(let name): className = target(className, name)
      case .backlinks(let origin, _): className = origin.value
      default: break
      }
    }
    let kind = property(className, name)?.collection ?? .none
    let isLink = property(className, name)?.type == .link
    if kind == .none {
      if isNull { return [[.null]] }
      let values = rows.map { value($0, name) }
      return [isMany && isLink ? values.filter { !$0.isNull } : values]
    }
    if isLink { return [rows.flatMap { elements(value($0, name)) }] }
    if isMany { return rows.isEmpty ? [[]] : rows.map { elements(value($0, name)) } }
    return [rows.first.map { elements(value($0, name)) } ?? []]
  }

  private func elements(_ value: Value) -> [Value] {
    switch value {
    case .list(let elements), .set(let elements): elements
    case .map(let map): map.entries.map(\.value)
    default: []
    }
  }

  private func count(_ step: QuerySyntax.PathStep, _ row: Row) -> Value {
    switch step {
    case .backlinks(let origin, let property):
      return .int(Int64(sources(origin.value, property.value, row).count))
    case .property(let name):
      switch value(row, name) {
      case .null: return property(row.className, name)?.type == .link ? .int(0) : .null
      case .link: return .int(1)
      case .string(let text): return .int(Int64(text.utf8.count))
      case let collection: return .int(Int64(elements(collection).count))
      }
    default: return .null
    }
  }

  private func aggregate(_ aggregate: QuerySyntax.Aggregate, _ row: Row) -> [Value] {
    let (rows, _, isNull) = follow(aggregate.path.steps.dropLast(), row)
    let name = aggregate.property?.value ?? ""
    let owners = isNull ? [] : rows
    guard let last = aggregate.path.steps.last else { return [] }
    let results = owners.map { owner -> Value in
      let targets = follow([last][...], owner).rows
      return result(aggregate.function.value, targets.map { value($0, name) }, name)
    }
    return isNull ? [result(aggregate.function.value, [], name)] : results
  }

  private func result(
    _ function: QuerySyntax.AggregateFunction, _ all: [Value], _ name: String
  ) -> Value {
    let values = all.filter { value in
      switch value {
      case .null: false
      case .double(let number): !number.isNaN
      default: true
      }
    }
    switch function {
    case .minimum: return values.min { Value.sortOrder($0, $1) == .less } ?? .null
    case .maximum: return values.max { Value.sortOrder($0, $1) == .less } ?? .null
    case .sum, .average:
      var integers: Int64 = 0
      var wide: Int128 = 0
      var doubles = 0.0
      var decimals = Decimal128.zero
      for value in values {
        switch value {
        case .int(let number):
          integers &+= number
          wide += Int128(number)
        case .double(let number): doubles += number
        case .decimal(let number): decimals += number
        default: break
        }
      }
      let count = values.count
      if function == .sum {
        return name == "n" ? .decimal(decimals) : name == "d" ? .double(doubles) : .int(integers)
      }
      guard count > 0 else { return .null }
      if name == "n" { return .decimal(decimals / Decimal128(Int64(count))) }
      return .double((name == "d" ? doubles : Double(wide)) / Double(count))
    }
  }

  // MARK: Constants

  /// A literal as it is compared with the other side.
  private func constant(
    _ literal: QuerySyntax.Literal, like other: QuerySyntax.Expression, _ row: Row
  ) -> Value {
    let type = self.type(other, row.className)
    switch literal {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .int(let value): return type == .decimal ? .decimal(Decimal128(value)) : .int(value)
    case .double(let text):
      if type == .decimal { return Decimal128(text.digits).map { .decimal($0) } ?? .null }
      if type == .float { return .float(text.floatValue) }
      return .double(text.doubleValue)
    case .string(let text): return .string(text)
    case .data(let bytes): return .data(bytes)
    case .date(let seconds, let nanoseconds):
      return Timestamp(seconds: seconds, nanoseconds: nanoseconds).map { .date($0) } ?? .null
    case .uuid(let bytes):
      return .uuid(
        UniqueID(
          high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
          low: bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }))
    case .object(_, let key):
      guard case .int(let number) = key.value, let table = tables["A"] else { return .null }
      return .link(ObjectLink(table: table, key: UInt64(bitPattern: number) ^ 1 << 63))
    default: return .null
    }
  }

  private func type(_ expression: QuerySyntax.Expression, _ className: String) -> ValueType? {
    var current = className
    let steps: [QuerySyntax.Located<QuerySyntax.PathStep>]
    switch expression {
    case .property(let reference):
      if reference.suffix != nil { return .int }
      steps = reference.path.steps
    case .aggregate(let aggregate):
      guard let property = aggregate.property else { return nil }
      switch (aggregate.function.value, property.value) {
      case (_, "n"): return .decimal
      default: return .double
      }
    case .arithmetic(let arithmetic):
      let order: [ValueType] = [.int, .float, .double, .decimal]
      let types = arithmetic.operands.map { operandType($0, className) }
      if types.contains(.mixed) { return .mixed }
      return order.last { types.contains($0) }
    default: return nil
    }
    for step in steps {
      switch step.value {
      case .property(let name):
        guard let property = property(current, name) else { return nil }
        if property.type != .link { return property.type }
        current = property.linkTarget ?? ""
      case .backlinks(let origin, _): current = origin.value
      default: return nil
      }
    }
    return .link
  }

  private func operandType(
    _ expression: QuerySyntax.Expression, _ className: String
  ) -> ValueType? {
    guard case .literal(let literal) = expression else { return type(expression, className) }
    switch literal.value {
    case .int: return .int
    case .float32: return .float
    default: return .double
    }
  }
}

extension QuerySyntax.Arithmetic {
  fileprivate var operands: [QuerySyntax.Expression] { [first] + rest.map(\.operand) }
}
