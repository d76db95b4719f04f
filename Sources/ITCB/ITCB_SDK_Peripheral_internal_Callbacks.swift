// The ball's delegate methods: the adapter's state, subscriptions, questions, and space in the transmit queue for
// answers.

#if !os(tvOS) && !os(watchOS) && !os(visionOS)
public import CoreBluetooth
import Foundation

extension ITCB_SDK_Peripheral: CBPeripheralManagerDelegate {
    /// The adapter's state changed.
    ///
    /// Once it is on, the service is published and the ball advertises.
    public func peripheralManagerDidUpdateState(_ peripheralManager: CBPeripheralManager) {
        _note(.stateChanged(peripheralManager.state))
        guard .poweredOn == peripheralManager.state else {
            _loseAllCentrals()
            _sendErrorMessageToAllObservers(error: .coreBluetooth(nil))
            return
        }
        // The old service and advertisement may still exist, depending on the adapter's state.
        peripheralManager.removeAllServices()
        if peripheralManager.isAdvertising {
            peripheralManager.stopAdvertising()
        }
        peripheralManager.add(Self._makeService())
        _advertise()
    }

    /// The service was published, or could not be.
    public func peripheralManager(_ peripheralManager: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        if let error = error {
            _sendErrorMessageToAllObservers(error: .coreBluetooth(error))
        } else {
            _note(.serviceAdded)
        }
    }

    /// The ball advertises, or cannot.
    public func peripheralManagerDidStartAdvertising(_ peripheralManager: CBPeripheralManager, error: Error?) {
        if let error = error {
            _sendErrorMessageToAllObservers(error: .coreBluetooth(error))
        } else {
            _note(.advertising(name: localName))
        }
    }

    /// A central subscribed to answers.
    public func peripheralManager(
        _ peripheralManager: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        guard characteristic.uuid == _static_ITCB_SDK_8BallService_Answer_UUID else { return }
        _note(.subscribed(central: central.identifier.uuidString))
        _device(for: central)._didSubscribe(to: characteristic)
    }

    /// A central unsubscribed, or has left.
    public func peripheralManager(
        _ peripheralManager: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        guard characteristic.uuid == _static_ITCB_SDK_8BallService_Answer_UUID else { return }
        _note(.unsubscribed(central: central.identifier.uuidString))
        _centrals.first { $0.uuid == central.identifier.uuidString }?._didUnsubscribe()
        // The space that others wait for may have been this central's.
        _roomIsBack()
    }

    /// The transmit queue has space for answers again.
    public func peripheralManagerIsReady(toUpdateSubscribers peripheralManager: CBPeripheralManager) {
        _roomIsBack()
    }

    /// A central reads the answer.
    ///
    /// Each central gets its own.
    public func peripheralManager(_ peripheralManager: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        guard request.characteristic.uuid == _static_ITCB_SDK_8BallService_Answer_UUID else {
            peripheralManager.respond(to: request, withResult: .readNotPermitted)
            return
        }
        let device = _centrals.first { $0.uuid == request.central.identifier.uuidString }
        let answer = device?._readableAnswer ?? Data()
        guard request.offset <= answer.count else {
            peripheralManager.respond(to: request, withResult: .invalidOffset)
            return
        }
        request.value = answer.subdata(in: request.offset..<answer.count)
        peripheralManager.respond(to: request, withResult: .success)
        device?._didRead()
    }

    /// A central writes: one request, or the parts of a long write.
    ///
    /// Only the first one gets a response.
    public func peripheralManager(_ peripheralManager: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        let (question, refusal) = Self._question(in: requests)
        func refuse(_ refusal: ITCB_SDK_Refusal) {
            _note(.questionReceived(question, refusal: refusal))
            peripheralManager.respond(to: first, withResult: refusal.code)
        }
        if let refusal = refusal { return refuse(refusal) }
        let device = _device(for: first.central)
        let isPersonBusy = answersByHand && _centrals.contains { $0._hasOpenQuestion }
        guard !isPersonBusy, !device._isBusy, _waitingAnswers.count < Self._maximumWaitingAnswers else {
            return refuse(.busy)
        }
        (first.characteristic as? CBMutableCharacteristic)?.value = Data(question.utf8)
        _note(.questionReceived(question, refusal: nil))
        peripheralManager.respond(to: first, withResult: .success)
        device._didAsk(question)
    }

    /// The question in a write, with its parts assembled; if there is a reason to refuse it, as much of it as could be
    /// read.
    internal static func _question(in requests: [CBATTRequest]) -> (text: String, refusal: ITCB_SDK_Refusal?) {
        var data = Data()
        for request in requests {
            guard request.characteristic.uuid == _static_ITCB_SDK_8BallService_Question_UUID else {
                return ("", .unreadable(.writeNotPermitted))
            }
            guard request.offset <= data.count else { return ("", .unreadable(.invalidOffset)) }
            // A later part overwrites everything from its offset on, as in any long write.
            data = data.prefix(request.offset) + (request.value ?? Data())
        }
        guard data.count <= _static_ITCB_SDK_MaximumValueLength else {
            return ("", .unreadable(.invalidAttributeValueLength))
        }
        guard let question = String(data: data, encoding: .utf8) else { return ("", .unreadable(.invalidPdu)) }
        return (question, ITCB_SDK.isQuestion(question) ? nil : .noQuestion)
    }
}
#endif
