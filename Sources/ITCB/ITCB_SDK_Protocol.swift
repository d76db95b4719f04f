// The interface of the Magic 8-Ball SDK: protocols for the SDK, the devices and the observers, and the errors. The
// names are those of the SDK in the tutorial series, so an app that was written for it needs no change.

public import Foundation

// MARK: Errors

/// What went wrong, from an app's point of view.
public enum ITCB_Errors: Error {
    /// Core Bluetooth reported a problem; `nil` if it gave no error of its own (the adapter is not powered on).
    case coreBluetooth(Error?)
    /// A question or an answer could not be delivered.
    case sendFailed(Error?)
    /// Anything else.
    case unknown(Error?)

    /// A key for the app's translations.
    public var localizedDescription: String {
        switch self {
        case .coreBluetooth:
            return "ITCB-SDK-ERROR-BLUETOOTH"
        case .sendFailed:
            return "ITCB-SDK-ERROR-SEND-FAILURE"
        case .unknown:
            return "ITCB-SDK-ERROR-UNKNOWN"
        }
    }

    /// The error inside.
    internal var associatedValue: Error? {
        switch self {
        case .coreBluetooth(let error), .sendFailed(let error), .unknown(let error):
            return error
        }
    }
}

/// Why a device refused, or could not be reached.
public enum ITCB_RejectionReason: Error {
    /// The device does not answer, or its link is gone.
    case deviceOffline
    /// The device still works on an earlier question.
    case deviceBusy
    /// A question must end with a question mark.
    case questionPlease
    /// The ball had a problem; the error inside says more, if it is known.
    case peripheralError(Error?)
    /// Anything else.
    case unknown(Error?)

    /// A key for the app's translations.
    public var localizedDescription: String {
        switch self {
        case .deviceOffline:
            return "ITCB-SDK-REJECT-OFFLINE"
        case .deviceBusy:
            return "ITCB-SDK-REJECT-BUSY"
        case .questionPlease:
            return "ITCB-SDK-REJECT-NO-QUESTION-MARK"
        case .peripheralError:
            return "ITCB-SDK-REJECT-PERIPHERAL-ERROR"
        case .unknown:
            return "ITCB-SDK-REJECT-UNKNOWN"
        }
    }

    /// The error inside; only the last two reasons have one.
    internal var associatedValue: Error? {
        switch self {
        case .deviceOffline, .deviceBusy, .questionPlease:
            return nil
        case .peripheralError(let error), .unknown(let error):
            return error
        }
    }
}

// MARK: The SDK

/// What both modes of the SDK share.
///
/// Use it on the main thread.
public protocol ITCB_SDK_Protocol {
    /// Creates an instance of the type, if the type knows how.
    static func createInstance() -> ITCB_SDK_Protocol?

    /// The last error that was reported; `nil` before the first.
    var error: ITCB_Errors? { get }

    /// Whether the adapter is powered on.
    var isCoreBluetoothPoweredOn: Bool { get }

    /// The name of this device; a ball advertises it.
    var localName: String { get set }

    /// The observers, which are retained.
    var observers: [ITCB_Observer_Protocol] { get set }

    /// Adds an observer, unless one with its `uuid` is registered.
    ///
    /// - Returns: the identity of the stored observer; `nil` if it was registered already. If the observer is a value,
    ///   its `uuid` is unchanged and its owner stores the new one; an object has it already.
    func addObserver(_ observer: ITCB_Observer_Protocol) -> UUID!

    /// Removes the first observer that has the same `uuid`.
    func removeObserver(_ observer: ITCB_Observer_Protocol)

    /// Whether an observer with the same `uuid` is registered.
    func isObserving(_ observer: ITCB_Observer_Protocol) -> Bool
}

extension ITCB_SDK_Protocol {
    /// The default for types that need a mode to be created.
    public static func createInstance() -> ITCB_SDK_Protocol? { nil }
}

/// The SDK as the side that asks.
public protocol ITCB_SDK_Central_Protocol: ITCB_SDK_Protocol {
    /// The known balls, in the order in which they were found. Balls that were lost are removed.
    var devices: [ITCB_Device_Peripheral_Protocol] { get }
}

/// The SDK as the side that answers.
public protocol ITCB_SDK_Peripheral_Protocol: ITCB_SDK_Protocol {
    /// The central that was active last; `nil` before the first. Several can ask at once: an observer's calls say which
    /// one.
    var central: ITCB_Device_Central_Protocol! { get }
}

// MARK: Devices

/// A device on the other side.
public protocol ITCB_Device_Protocol {
    /// The identifier by which this system knows the device.
    var uuid: String? { get }

    /// The device's name.
    var name: String { get }

    /// The device's last error; `nil` if there was none since the last question.
    var error: ITCB_Errors! { get }

    /// Whether both objects stand for the same device.
    func amIThisDevice(_ device: ITCB_Device_Protocol) -> Bool

    /// Notifies the local observers that the device is rejected. Nothing goes over the air.
    func rejectConnectionBecause(_ reason: ITCB_RejectionReason!)
}

/// A central, as a ball sees it.
public protocol ITCB_Device_Central_Protocol: ITCB_Device_Protocol {
    /// Sends an answer; the observers are called once it is on its way.
    func sendAnswer(_ answer: String, toQuestion: String)
}

/// A ball, as a central sees it.
public protocol ITCB_Device_Peripheral_Protocol: ITCB_Device_Protocol {
    /// The last question that the ball has confirmed; `nil` while one is pending.
    var question: String? { get }

    /// The ball's last answer: a key, `SLUG-ANSWER-00` to `SLUG-ANSWER-19`, that an app translates.
    var answer: String? { get }

    /// Asks a question, which is refused as busy while another one is pending.
    func sendQuestion(_ question: String)
}

// MARK: Observers

/// What observers share.
///
/// All calls are on the main thread.
public protocol ITCB_Observer_Protocol {
    /// The observer's identity; ``ITCB_SDK_Protocol/addObserver(_:)`` sets it.
    var uuid: UUID { get set }

    /// An error occurred.
    func errorOccurred(_ error: ITCB_Errors, sdk: ITCB_SDK_Protocol)
}

/// An observer of the side that asks.
public protocol ITCB_Observer_Central_Protocol: ITCB_Observer_Protocol {
    /// A ball has answered; `answer` has the answer.
    func questionAnsweredByDevice(_ device: ITCB_Device_Peripheral_Protocol)

    /// A ball has confirmed a question; `question` has it.
    func questionAskedOfDevice(_ device: ITCB_Device_Peripheral_Protocol)

    /// A ball was found, connected to and explored: it can be asked.
    func deviceDiscovered(_ device: ITCB_Device_Peripheral_Protocol)
}

/// An observer of the side that answers.
public protocol ITCB_Observer_Peripheral_Protocol: ITCB_Observer_Protocol {
    /// A central has asked. The SDK picks an answer unless an observer calls `sendAnswer` here.
    func questionAskedByDevice(_ device: ITCB_Device_Central_Protocol, question: String)

    /// An answer is on its way to the central.
    func answerSentToDevice(_ device: ITCB_Device_Central_Protocol, answer: String, toQuestion: String)
}
