internal import AtollObjects
internal import AtollQuery
internal import Synchronization

/// The objects that queries of a file have asked for and that it does not hold.
///
/// A query finds none that links to one of them, also when the file comes to hold it. In the text
/// of a subscription with the same condition it is named by its class and key.
final class UnheldObjects: Sendable {
  struct Address: Hashable {
    let className: ExactText
    let primaryKey: _StoredValue
  }

  private struct Known {
    var links: [Address: ObjectLink] = [:]
    var addresses: [ObjectLink: Address] = [:]
  }

  private let known = Mutex(Known())

  /// The link to nothing that stands for an object.
  func link(to address: Address) -> ObjectLink {
    known.withLock { known in
      if let link = known.links[address] { return link }
      let link = ObjectLink.unheld(UInt64(known.links.count))
      known.links[address] = link
      known.addresses[link] = address
      return link
    }
  }

  /// The object that a link to nothing stands for; nil for one that has no primary key.
  func address(_ link: ObjectLink) -> Address? { known.withLock { $0.addresses[link] } }
}
