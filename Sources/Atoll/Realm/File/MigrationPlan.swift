/// What the opening of a realm would change in the classes of its file.
public struct MigrationPlan: Sendable {
  /// The schema version of the file; 0 for one that is new.
  public let oldVersion: UInt64
  /// The schema version of the configuration.
  public let newVersion: UInt64
  /// Whether the file would be deleted, and a new one be begun: as `deleteRealmIfMigrationNeeded` asks.
  public let deletesFile: Bool
  /// The changes, apart from what a migration block does to the objects.
  ///
  /// A property that is added and one that is removed may be one that the block renames.
  public let changes: [Change]
  /// Whether the configuration's migration block would be run.
  public let runsBlock: Bool
  /// What does not fit, in sentences: the opening would throw them.
  public let problems: [String]

  /// A change of a class of the file.
  public enum Change: Hashable, Sendable {
    case addClass(String)
    case addProperty(String, toClass: String, type: String)
    case removeProperty(String, fromClass: String)
    /// What the property holds goes, unless a block moves it.
    case changeType(of: String, inClass: String, from: String, to: String)
    case makeOptional(String, inClass: String)
    /// Nil becomes zero, or nothing.
    case makeRequired(String, inClass: String)
    /// To nil: the class has no primary key any more.
    case changePrimaryKey(ofClass: String, to: String?)
    case setEmbedded(String, Bool)
    case addIndex(on: String, inClass: String)
    case removeIndex(on: String, inClass: String)
    case addFullTextIndex(on: String, inClass: String)
    case removeFullTextIndex(on: String, inClass: String)
    /// An index of several properties, or a unique one.
    case addJointIndex(on: [String], inClass: String, isUnique: Bool)
    case removeJointIndex(on: [String], inClass: String, isUnique: Bool)
    case setDeleteRule(DeleteRule.Kind, on: String, inClass: String)
  }
}

extension MigrationPlan.Change {
  /// Whether what some objects hold may go with it, where no block moves it.
  public var mayLoseData: Bool {
    switch self {
    case .removeProperty, .changeType, .makeRequired: true
    default: false
    }
  }
}

extension MigrationPlan.Change: CustomStringConvertible {
  /// The change as a sentence without its end.
  public var description: String {
    switch self {
    case .addClass(let name): "class '\(name)' is added"
    case .addProperty(let name, let className, let type):
      "\(className).\(name) of type \(type) is added"
    case .removeProperty(let name, let className):
      "\(className).\(name) is removed, with what it holds"
    case .changeType(let name, let className, let old, let new):
      "\(className).\(name) of type \(old) becomes one of type \(new), and what it holds goes"
    case .makeOptional(let name, let className): "\(className).\(name) may be nil"
    case .makeRequired(let name, let className):
      "\(className).\(name) is required, and nil becomes zero or nothing"
    case .changePrimaryKey(let className, let name?):
      "the primary key of class '\(className)' is '\(name)'"
    case .changePrimaryKey(let className, nil): "class '\(className)' has no primary key any more"
    case .setEmbedded(let className, true): "class '\(className)' is embedded"
    case .setEmbedded(let className, false): "class '\(className)' is not embedded any more"
    case .addIndex(let name, let className): "\(className).\(name) gets an index"
    case .removeIndex(let name, let className): "\(className).\(name) has no index any more"
    case .addFullTextIndex(let name, let className):
      "\(className).\(name) gets an index of its words"
    case .removeFullTextIndex(let name, let className):
      "\(className).\(name) has no index of its words any more"
    case .addJointIndex(let names, let className, let isUnique):
      "class '\(className)' gets \(Self.text(names, isUnique))"
    case .removeJointIndex(let names, let className, let isUnique):
      "class '\(className)' loses \(Self.text(names, isUnique))"
    case .setDeleteRule(let kind, let name, let className):
      "\(className).\(name) has the rule of deletion '\(kind)'"
    }
  }

  private static func text(_ names: [String], _ isUnique: Bool) -> String {
    (isUnique ? "a unique index of " : "an index of ") + names.joined(separator: ", ")
  }
}

extension MigrationPlan: CustomStringConvertible {
  /// The plan as lines of text.
  public var description: String {
    let lines =
      (deletesFile ? ["the file is deleted, with all that it holds"] : [])
      + changes.map(\.description) + (runsBlock ? ["the migration block runs"] : [])
      + problems.map { "impossible: \($0)" }
    let title = "from schema version \(oldVersion) to \(newVersion)"
    return lines.isEmpty
      ? "\(title): nothing changes" : "\(title):" + lines.map { "\n- \($0)" }.joined()
  }
}
