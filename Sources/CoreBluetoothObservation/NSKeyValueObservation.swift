// The types of key-value observation that Foundation on Linux lacks, with Apple's names, so that code which observes
// Core Bluetooth's objects needs only one more import. Where Foundation has them, this module is empty.

#if !canImport(ObjectiveC)
public import Foundation

/// The values that a change handler gets.
///
/// Apple documents it as `NSKeyValueObservingOptions`. `prior` is missing: changes are not reported in advance.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The bits, as in Apple's type.
    public let rawValue: UInt

    /// Creates options from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 0x01)
    /// The old value.
    public static let old = NSKeyValueObservingOptions(rawValue: 0x02)
    /// An immediate call, before `observe` returns, with the present value as the new one.
    public static let initial = NSKeyValueObservingOptions(rawValue: 0x04)
}

/// How a property has changed.
///
/// Apple documents it as `NSKeyValueChange`. For Core Bluetooth's properties it is always ``setting``.
public enum NSKeyValueChange: UInt, Sendable {
    /// The property was set.
    case setting = 1
    /// Elements were inserted into a collection.
    case insertion
    /// Elements were removed from a collection.
    case removal
    /// Elements of a collection were replaced.
    case replacement
}

/// A change of a property.
///
/// Apple documents it as `NSKeyValueObservedChange`.
public struct NSKeyValueObservedChange<Value> {
    /// How a property has changed.
    public typealias Kind = NSKeyValueChange

    /// How the property has changed: always ``NSKeyValueChange/setting``.
    public let kind: Kind
    /// The value after the change; `nil` without ``NSKeyValueObservingOptions/new``.
    public let newValue: Value?
    /// The value before the change; `nil` without ``NSKeyValueObservingOptions/old``, and in an initial call.
    public let oldValue: Value?
    /// The indexes of a collection's elements: always `nil`.
    public let indexes: IndexSet?
    /// Whether the change is reported in advance: always `false`.
    public let isPrior: Bool

    init(old: Value?, new: Value, _ options: NSKeyValueObservingOptions) {
        self.kind = .setting
        self.newValue = options.contains(.new) ? new : nil
        self.oldValue = options.contains(.old) ? old : nil
        self.indexes = nil
        self.isPrior = false
    }
}

/// An observation in progress. Retain it: it ends when it is deallocated.
///
/// Apple documents it as `NSKeyValueObservation`.
public final class NSKeyValueObservation: NSObject {
    private let property: ObservedProperty
    private weak var list: ObservationList?

    init(_ property: ObservedProperty, in list: ObservationList?) {
        self.property = property
        self.list = list
        super.init()
    }

    deinit { self.invalidate() }

    /// Ends the observation: no call of the handler begins after this one.
    public func invalidate() { self.list?.remove(self.property) }
}
#endif
