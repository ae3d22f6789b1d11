package import AtollObjects

/// The rules of a server: access rights on objects, and the properties that subscriptions may use.
///
/// A class without rules is closed to all users.
package struct ServerRules: Hashable, Sendable {
  /// The rules of each class that has any.
  package var classes: [ExactText: ClassRules]
  /// The class whose object with the user's id as primary key is the user's data.
  package var userClass: String?
  /// The property that every subscription must fix to constants, in every class that has it.
  package var partition: String?

  package init(
    classes: [ExactText: ClassRules] = [:], userClass: String? = nil, partition: String? = nil
  ) {
    self.classes = classes
    self.userClass = userClass
    self.partition = partition
  }
}

/// The rules of one class.
package struct ClassRules: Hashable, Sendable {
  /// The first that applies to a user is the user's; none: no access.
  package var roles: [Role]
  /// The properties that subscriptions may name beside the primary key; nil: all.
  package var queryable: Set<ExactText>?

  package init(roles: [Role] = [], queryable: Set<ExactText>? = nil) {
    self.roles = roles
    self.queryable = queryable
  }
}

/// The rights of some users on the objects of a class.
package struct Role: Hashable, Sendable {
  package enum Application: Hashable, Sendable {
    case everybody
    /// The users with these ids.
    case users(Set<ExactText>)
    /// Users whose data matches.
    case when(RuleCondition)
  }

  /// The objects for which an action is allowed.
  package enum Permission: Hashable, Sendable {
    case none
    case all
    case matching(RuleCondition)
  }

  package var name: String
  package var application: Application
  package var read: Permission
  /// Changing objects, for which one must be readable and match before and after; making them and
  /// deleting them needs this too.
  package var write: Permission
  package var insert: Permission
  package var delete: Permission
  package var properties: PropertyRights

  package init(
    _ name: String, application: Application = .everybody, read: Permission = .none,
    write: Permission = .none, insert: Permission = .none, delete: Permission = .none,
    properties: PropertyRights = .all
  ) {
    self.name = name
    self.application = application
    self.read = read
    self.write = write
    self.insert = insert
    self.delete = delete
    self.properties = properties
  }
}

/// The rights of a role on the properties of an object; the primary key is always readable.
package struct PropertyRights: Hashable, Sendable {
  package enum Right: UInt8, Hashable, Sendable, Comparable {
    case none = 0
    case read = 1
    /// Reading too.
    case write = 2

    package static func < (a: Right, b: Right) -> Bool { a.rawValue < b.rawValue }
  }

  package var named: [ExactText: Right]
  package var others: Right

  package static let all = PropertyRights()

  package init(named: [ExactText: Right] = [:], others: Right = .write) {
    self.named = named
    self.others = others
  }

  subscript(property: String) -> Right { named[ExactText(property)] ?? others }

  var allowsReadingAll: Bool { others >= .read && named.values.allSatisfy { $0 >= .read } }
}
