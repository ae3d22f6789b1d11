/// A bug by which a server reveals unreadable data to a device.
///
/// Planted by the simulator, which must find each, and by nothing else.
package enum LeakFault: String, CaseIterable, Sendable {
  /// The elements of lists, sets and maps that may not be read are sent.
  case hiddenElements = "hidden-elements"
  /// An edit of a property that may not be read is sent as an update without units.
  case emptyUpdate = "empty-update"
  /// The position of a catch-up is the number of an object, which reveals the count of unreadable
  /// ones.
  case numberedPosition = "numbered-position"
  /// The refusal of an edit reveals the existence of an unreadable object.
  case tellingRefusal = "telling-refusal"
}
