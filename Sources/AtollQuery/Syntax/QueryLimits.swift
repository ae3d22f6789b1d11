/// What a query may take: of depth, of length, of time and of memory, with the reasons.
///
/// A text that goes beyond one of them is refused with its place, or is answered with more work
/// instead of more memory. When a planner stops to look for a better way is no limit of queries;
/// such numbers stand where they are used. `QueryLanguage.md` tells users about these.
package enum QueryLimits {
  // MARK: The text

  /// The deepest tree, in nodes from the predicate to its lowest operand.
  ///
  /// Chosen for the smallest threads in use (512 KiB). Parsing, comparing, hashing and printing do
  /// not recurse; destroying the deepest tree takes 64 KiB at most (measured without optimisation),
  /// which leaves a reader that recurses about 2 KiB for each level. AND, OR and NOT count only
  /// where they alternate: chains and redundant parentheses add nothing.
  package static let depth = 200

  /// The parentheses open at one place, redundant ones included.
  ///
  /// Bounds the memory of the parser to a few megabytes however the text is made.
  package static let openParentheses = 16_384

  /// The bytes of the text of a subscription, as the servers of Realm have it.
  package static let subscriptionByteCount = 256 << 10

  // MARK: What the text means

  /// The links that are followed one after another, those of the subqueries around included.
  ///
  /// A test of objects behind links asks one of the objects behind those in turn: so this bounds
  /// the stack, with a thread's 512 KiB in mind.
  package static let linkDepth = 32

  /// The keys of SORT, DISTINCT and LIMIT, where a LIMIT counts as one.
  ///
  /// Rows that are equal by one key are compared by the next, and a plan nests by the steps: so
  /// this bounds the time and the stack, with a thread's 512 KiB in mind.
  package static let sortKeys = 100

  /// The columns of a GROUP, and the steps behind it, for the same reasons.
  package static let groupColumns = 100

  /// The pairs of edges of a shape that are compared, to find out whether two cross.
  ///
  /// They take about a fifth of a second. A ring of a million corners whose edges are about as long
  /// as they are apart needs a part of it.
  package static let edgePairs = 50_000_000

  // MARK: The run

  /// The ways to objects of which each is an element of a list that is compared place by place.
  ///
  /// Ways multiply from link to link; longer lists are compared as far as this, in some megabytes.
  package static let listWays = 1 << 20

  /// The bytes in which a run remembers what lies behind links.
  package static let memoByteCount = 8 << 20

  /// The bytes of what a run keeps of whole tables: sets of objects, of which the last one may take
  /// more, and the numbers of a column.
  ///
  /// A query may ask for a hundred thousand of them, each as large as a table.
  package static let setByteCount = 16 << 20

  /// The small tables that are scanned to make a plan, however many terms the query has.
  package static let planningScans = 16

  /// The numbers in the spare list of a sort, of eight bytes.
  package static let sortSpareCount = 1 << 22

  /// The rows that a sort ranks at once, of about 40 bytes.
  package static let sortBatchRows = 1 << 20

  /// The bytes of the values that a sort compares others with, or eight of each if that is more.
  package static let sortPivotByteCount = 16 << 20

  // MARK: What is kept between runs

  /// The bound queries that are kept for the next run of the same text.
  package static let keptQueries = 256

  /// The bytes of a text whose bound query is kept: longer ones are made by programs, once.
  package static let keptTextByteCount = 1 << 12
}
