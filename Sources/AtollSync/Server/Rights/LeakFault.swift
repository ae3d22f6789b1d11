/// A mistake by which a server would tell a device what its user may not read.
///
/// Planted by the simulator, which must find each, and by nothing else.
package enum LeakFault: String, CaseIterable, Sendable {
  /// The elements of lists, sets and maps that may not be read are sent.
  case hiddenElements = "hidden-elements"
  /// An edit of a property that may not be read is sent as an update without units.
  case emptyUpdate = "empty-update"
  /// The position of a catch-up is the number of an object, which counts those that may not be
  /// read.
  case numberedPosition = "numbered-position"
  /// The refusal of an edit tells whether there is an object that the user may not read.
  case tellingRefusal = "telling-refusal"
}
