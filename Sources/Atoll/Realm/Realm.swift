internal import AtollObjects
public import Foundation

/// A realm: the objects of one file, in one version, for one thread, queue or actor.
///
///     let realm = try Realm()
///     try realm.write { realm.add(dog) }
///     for dog in realm.objects(Dog.self) { print(dog.name) }
///
/// A value of this type is a handle; opening the same file again at the same place gives an equal one.
public struct Realm {
  let context: _RealmContext

  init(_ context: _RealmContext) { self.context = context }

  /// Opens the realm of the default configuration.
  ///
  /// - Parameter queue: A serial queue that the realm is confined to; nil for the current thread.
  /// - Throws: `Realm.Error`.
  public init(queue: DispatchQueue? = nil) throws {
    try self.init(configuration: .defaultConfiguration, queue: queue)
  }

  /// Opens the realm of a configuration.
  ///
  /// - Throws: `Realm.Error`.
  public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
    let confinement = try queue.map { try Confinement(queue: $0) } ?? .current
    context = try RealmOpening(configuration, confinement).context()
  }

  /// Opens another file with the default configuration.
  public init(fileURL: URL) throws {
    var configuration = Configuration.defaultConfiguration
    configuration.fileURL = fileURL
    try self.init(configuration: configuration)
  }

  /// The configuration that the realm was opened with.
  public var configuration: Configuration { context.configuration }

  /// The objects of a class.
  public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
    guard let type = type as? ObjectBase.Type else {
      Misuse.trap("\(type) is no class of objects")
    }
    return Results(context, of: type)
  }
}

extension Realm: Equatable {
  /// Whether both are handles of one instance.
  public static func == (a: Realm, b: Realm) -> Bool { a.context === b.context }
}

@available(*, unavailable, message: "a realm belongs to the place that opened it; open it again")
extension Realm: Sendable {}

extension Realm {
  /// What to do with an object whose primary key exists.
  public enum UpdatePolicy: Int, Sendable {
    /// Refuse it.
    case error = 1
    /// Set every property that is given.
    case all = 2
    /// Set the properties that differ.
    case modified = 3
  }
}
