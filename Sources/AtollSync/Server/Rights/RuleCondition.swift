package import AtollObjects
internal import AtollQuery

/// A predicate of the query language in which values of the user stand as `$user.id` and
/// `$user.data.PROPERTY`.
///
/// It may use the same conditions as a subscription (`SubscriptionRules`): the object is matched
/// only by its own properties, so that the views that it narrows can be maintained change by
/// change.
///
/// A comparison with a value that the user lacks is unknown. NOT of it is unknown too, AND is false
/// where another term is false, OR is true where another is true, and else they are unknown. What is
/// unknown in the end matches nothing.
package struct RuleCondition: Hashable, Sendable {
  enum Variable: Hashable, Sendable {
    case id
    case data(ExactText)
  }

  /// With the arguments `$0`, `$1`, … in the places of the variables.
  private let text: String
  private let variables: [Variable]

  /// Reads a condition, and checks it as far as that is possible without a user.
  ///
  /// - Parameters:
  ///   - template: The text.
  ///   - className: The class of the objects that it tests.
  ///   - schema: The classes of the store.
  ///   - userClass: The class of users' data; nil when there is none.
  ///
  /// - Throws: `RuleProblem` for a text that is no predicate, does not fit the class, asks what a
  ///   subscription may not ask, or names a value that users do not have.
  package init(
    _ template: String, on className: String, in schema: Schema, userClass: String?
  ) throws(RuleProblem) {
    (text, variables) = try Self.split(template)
    guard let target = schema[className] else {
      throw RuleProblem("there is no class '\(className)'")
    }
    var samples: [Value] = []
    for variable in variables {
      samples.append(try Self.sample(of: variable, in: schema, userClass: userClass))
    }
    do {
      let constant = try QuerySyntax.canonicalText(of: text, arguments: samples)
      let request = try QuerySyntax.parse(constant)
      // Subscriptions cannot select objects of an asymmetric class, but roles have conditions for
      // inserting them.
      var matched = target
      matched.isAsymmetric = false
      if let problem = SubscriptionRules.problem(in: request, text: constant, on: matched) {
        throw RuleProblem("'\(template)': \(problem.message)")
      }
      _ = try Query(constant, on: className, in: schema)
    } catch let problem as RuleProblem {
      throw problem
    } catch let error as QueryError {
      throw RuleProblem("'\(template)': \(error.message)")
    } catch let error as QuerySyntaxError {
      throw RuleProblem("'\(template)': \(error.message)")
    } catch {
      throw RuleProblem("'\(template)': \(error)")
    }
  }

  /// The condition with the values of a user in it, as canonical text.
  ///
  /// Null is no value: it would match properties that are null, and so give access to objects
  /// without an owner.
  ///
  /// - Returns: Nil when nothing matches, as the user lacks values.
  func text(for user: UserValues) -> String? {
    let arguments = variables.map { variable -> Value? in
      switch variable {
      case .id: .string(user.id)
      case .data(let property): user.data[property].flatMap { $0.isNull ? nil : $0 }
      }
    }
    return (try? QuerySyntax.canonicalText(of: text, knowing: arguments)) ?? nil
  }

  // MARK: Variables

  private static let prefix = "$user."

  /// Puts arguments in the places of variables, but not inside of strings.
  private static func split(_ template: String) throws(RuleProblem) -> (String, [Variable]) {
    var text = ""
    var variables: [Variable] = []
    var quote: Character?
    var rest = template[...]
    while let next = rest.first {
      if let open = quote {
        rest.removeFirst()
        text.append(next)
        if next == "\\", let escaped = rest.popFirst() { text.append(escaped) }
        if next == open { quote = nil }
      } else if next == "$" {
        guard rest.hasPrefix(prefix) else {
          throw RuleProblem(
            "'\(template)': write $user.id or $user.data.PROPERTY; there are no other arguments")
        }
        let name = rest.dropFirst(prefix.count).prefix {
          $0.isLetter || $0.isNumber || $0 == "_" || $0 == "."
        }
        let variable = try variable(name, template)
        text += "$\(variables.count)"
        variables.append(variable)
        rest = rest.dropFirst(prefix.count + name.count)
      } else {
        rest.removeFirst()
        text.append(next)
        if next == "'" || next == "\"" { quote = next }
      }
    }
    return (text, variables)
  }

  private static func variable(
    _ name: Substring, _ template: String
  ) throws(RuleProblem) -> Variable {
    let steps = name.split(separator: ".", omittingEmptySubsequences: false)
    if steps == ["id"] { return .id }
    guard steps.count == 2, steps[0] == "data", !steps[1].isEmpty else {
      throw RuleProblem(
        "'\(template)': a user has no '\(name)'; write $user.id or $user.data.PROPERTY")
    }
    return .data(ExactText(String(steps[1])))
  }

  /// A value of the type that a variable has, to check the condition with.
  private static func sample(
    of variable: Variable, in schema: Schema, userClass: String?
  ) throws(RuleProblem) -> Value {
    guard case .data(let name) = variable else { return .string("x") }
    guard let userClass else {
      throw RuleProblem("$user.data.\(name) needs a class of users' data: name it as userData")
    }
    guard let property = schema[userClass]?[name.text] else {
      throw RuleProblem("class '\(userClass)' has no property '\(name)' for $user.data.\(name)")
    }
    guard let value = property.type.sample, property.collection != .map else {
      throw RuleProblem(
        "'\(userClass).\(name)' cannot stand in a rule: it is no plain value or list of such")
    }
    return property.collection == .none ? value : .list([value])
  }
}

/// Why a rule cannot be.
package struct RuleProblem: Error, Hashable, Sendable {
  /// A sentence for people.
  package let text: String

  package init(_ text: String) { self.text = text }
}

/// What rules ask of a user.
struct UserValues {
  let id: String
  /// Of the user's data: single values, and lists and sets of them.
  let data: [ExactText: Value]
}

extension ValueType {
  /// Some value of the type; nil for types that no constant of a rule has.
  fileprivate var sample: Value? {
    switch self {
    case .bool: .bool(true)
    case .int: .int(1)
    case .float: .float(1)
    case .double: .double(1)
    case .decimal: .decimal(.zero)
    case .string: .string("x")
    case .data: .data([0])
    case .date: Timestamp(seconds: 0, nanoseconds: 0).map { .date($0) }
    case .objectID: .objectID(ObjectID(seconds: 0, random: 0, counter: 0))
    case .uuid: .uuid(UniqueID(high: 0, low: 0))
    case .link, .mixed: nil
    }
  }
}
