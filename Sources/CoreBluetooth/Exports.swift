// `import CoreBluetooth` also imports Foundation and Dispatch, as on Apple's platforms, and the few Core Foundation
// names that Core Bluetooth's interface uses and Foundation on Linux lacks.

@_exported public import Dispatch
@_exported public import Foundation

#if !canImport(Darwin)
/// Seconds since the first instant of 1 January 2001, GMT.
public typealias CFAbsoluteTime = Double

/// A span of time in seconds.
public typealias CFTimeInterval = Double

/// Core Foundation's UUID object: on Linux another name of Foundation's.
public typealias CFUUID = NSUUID

/// The present time as ``CFAbsoluteTime``.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime {
    Date().timeIntervalSinceReferenceDate
}
#endif
