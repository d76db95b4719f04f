// What both modes share: the constants of the protocol, the base class of the devices, and the calls of the observers.

public import CoreBluetooth
import Foundation

// MARK: The wire

/// The Magic 8-Ball service.
internal let _static_ITCB_SDK_8BallServiceUUID = CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E")
/// The characteristic that a question is written to.
internal let _static_ITCB_SDK_8BallService_Question_UUID = CBUUID(string: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77")
/// The characteristic that notifies the answer.
internal let _static_ITCB_SDK_8BallService_Answer_UUID = CBUUID(string: "349A0D7B-6215-4E2C-A095-AF078D737445")

/// The value that a controller reports if it has no signal strength (Vol 4, Part E, 7.7.65.2).
internal let _static_ITCB_SDK_RSSI_NotAvailable = 127

/// The longest value of an attribute, in octets (Vol 3, Part F, 3.2.9).
internal let _static_ITCB_SDK_MaximumValueLength = 512

extension Array where Element: CBAttribute {
    /// The first attribute with this UUID, in Core Bluetooth's spelling; `nil` if there is none.
    public subscript(_ uuidString: String) -> Element! {
        first { $0.uuid.uuidString == uuidString }
    }
}

// MARK: The SDK

extension ITCB_SDK {
    /// Notifies every observer of an error.
    internal func _sendErrorMessageToAllObservers(error: ITCB_Errors) {
        self.error = error
        observers.forEach { $0.errorOccurred(error, sdk: self) }
    }

    /// Reports a step to the step observer.
    internal func _note(_ step: ITCB_SDK_Step) {
        stepObserver?(step)
    }
}

// MARK: Devices

/// The base class of the devices of both modes.
internal class ITCB_SDK_Device: NSObject, ITCB_Device_Protocol {
    /// Core Bluetooth's object for the device.
    ///
    /// A strong reference, because Core Bluetooth does not retain it.
    internal let _peerInstance: CBPeer

    /// The identifier by which this system knows the device.
    internal var uuid: String? { _peerInstance.identifier.uuidString }

    /// The device's name.
    internal let name: String

    /// The device's last error.
    internal var error: ITCB_Errors!

    /// The SDK that created the device.
    internal var _owner: ITCB_SDK? { nil }

    internal init(_ peer: CBPeer, name: String) {
        _peerInstance = peer
        self.name = name
        super.init()
    }

    /// Whether both objects stand for the same device.
    internal func amIThisDevice(_ device: ITCB_Device_Protocol) -> Bool {
        guard let device = device as? ITCB_SDK_Device else { return false }
        return device.uuid == uuid
    }

    /// Notifies the local observers that the device is rejected.
    internal func rejectConnectionBecause(_ reason: ITCB_RejectionReason! = .unknown(nil)) {
        _report(.coreBluetooth(reason))
    }

    /// Stores an error and notifies the observers.
    internal func _report(_ error: ITCB_Errors) {
        self.error = error
        _owner?._sendErrorMessageToAllObservers(error: error)
    }
}
