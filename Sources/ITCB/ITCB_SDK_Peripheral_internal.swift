// The ball's side: its service, its centrals, and the answers that wait to be sent.
//
// A question is either confirmed and answered, or refused at once with an ATT error:
//   unlikelyError              it does not end with a question mark;
//   invalidPdu                 it is not UTF-8;
//   invalidAttributeValueLength  it is longer than an attribute may be;
//   invalidOffset              its parts, as prepared writes, leave a gap;
//   insufficientResources      the ball is busy: an earlier answer for this central, or too many answers, are waiting.
// A central that asks without a subscription gets its answer once it subscribes, or by reading it.

#if !os(tvOS) && !os(watchOS) && !os(visionOS)
import CoreBluetooth
import Foundation

/// An answer that waits for space in the transmit queue.
internal struct _ITCB_SDK_WaitingAnswer {
    /// The central.
    let device: ITCB_SDK_Device_Central
    /// The answer.
    let answer: String
    /// The question.
    let question: String
}

extension ITCB_SDK_Peripheral {
    /// The most answers that may wait.
    internal static let _maximumWaitingAnswers = 64

    /// The most centrals that are remembered.
    internal static let _maximumCentrals = 128

    /// The number of random answers.
    internal static let _numberOfAnswers = 20

    /// The manager, with its type.
    internal var peripheralManagerInstance: CBPeripheralManager! { _managerInstance as? CBPeripheralManager }

    // MARK: Service

    /// The service of a ball, ready to be added.
    internal static func _makeService() -> CBMutableService {
        let service = CBMutableService(type: _static_ITCB_SDK_8BallServiceUUID, primary: true)
        // Their values are nil, so Core Bluetooth asks for every read and write.
        service.characteristics = [
            CBMutableCharacteristic(
                type: _static_ITCB_SDK_8BallService_Question_UUID,
                properties: [.write],
                value: nil,
                permissions: [.writeable]
            ),
            CBMutableCharacteristic(
                type: _static_ITCB_SDK_8BallService_Answer_UUID,
                properties: [.read, .notify],
                value: nil,
                permissions: [.readable]
            ),
        ]
        return service
    }

    /// Starts advertising.
    internal func _advertise() {
        // After a pause, the ball may still be advertising, and starting again would be an error.
        peripheralManagerInstance.stopAdvertising()
        peripheralManagerInstance.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [_static_ITCB_SDK_8BallServiceUUID],
            CBAdvertisementDataLocalNameKey: localName,
        ])
    }

    /// Advertises under the new name, if the ball advertises at all.
    internal func _advertise(anewIf nameChanged: Bool) {
        guard nameChanged, let manager = peripheralManagerInstance, manager.isAdvertising else { return }
        manager.stopAdvertising()
        _advertise()
    }

    // MARK: Centrals

    /// The device for a central, created if it is new; it becomes the SDK's `central`.
    internal func _device(for peer: CBCentral) -> ITCB_SDK_Device_Central {
        let device: ITCB_SDK_Device_Central
        if let index = _centrals.firstIndex(where: { $0.uuid == peer.identifier.uuidString }) {
            device = _centrals.remove(at: index)
        } else {
            device = ITCB_SDK_Device_Central(peer, owner: self)
            // Core Bluetooth does not report that a central disconnects that never subscribed, so the oldest is
            // removed.
            if _centrals.count >= Self._maximumCentrals {
                _centrals.remove(at: _centrals.firstIndex { !$0._isSubscribed } ?? 0)._end()
            }
        }
        _centrals.append(device)
        central = device
        return device
    }

    /// The adapter is gone, and all links with it.
    internal func _loseAllCentrals() {
        let lost = _centrals
        _waitingAnswers.removeAll()
        _centrals.removeAll()
        central = nil
        lost.forEach { $0._end() }
    }

    // MARK: Answers

    /// A random answer, as the key that the asking app translates.
    internal func _randomAnswer() -> String {
        ITCB_SDK.answerKey(Int.random(in: 0..<Self._numberOfAnswers, using: &_generator))
    }

    /// Hands an answer to Core Bluetooth, after those that are waiting.
    internal func _send(_ answer: _ITCB_SDK_WaitingAnswer) {
        guard _waitingAnswers.count < Self._maximumWaitingAnswers else {
            answer.device._report(.sendFailed(ITCB_RejectionReason.deviceBusy))
            return
        }
        _waitingAnswers.append(answer)
        _handOverAnswers()
    }

    /// Hands answers to Core Bluetooth until its transmit queue is full; it reports when there is space again.
    ///
    /// A slow central delays its own answers, not those of others.
    internal func _handOverAnswers() {
        // If an observer sends another answer from inside a call, the running loop sends it.
        guard !_isHandingOver else { return }
        _isHandingOver = true
        defer { _isHandingOver = false }
        while let index = _waitingAnswers.firstIndex(where: { !$0.device._isOutOfRoom }) {
            let next = _waitingAnswers[index]
            guard let characteristic = next.device._subscribedChar as? CBMutableCharacteristic else {
                _waitingAnswers.remove(at: index)
                continue
            }
            guard
                peripheralManagerInstance.updateValue(
                    Data(next.answer.utf8),
                    for: characteristic,
                    onSubscribedCentrals: [next.device._central]
                )
            else {
                next.device._isOutOfRoom = true
                _note(.answerWaiting(next.answer))
                continue
            }
            _waitingAnswers.remove(at: index)
            _note(.answerSent(next.answer))
            _sendSuccessInSendingAnswerToAllObservers(
                device: next.device,
                answer: next.answer,
                toQuestion: next.question
            )
        }
    }

    /// The transmit queue has space again; Core Bluetooth does not say for which central.
    internal func _roomIsBack() {
        _centrals.forEach { $0._isOutOfRoom = false }
        _handOverAnswers()
    }

    // MARK: The observers

    /// Notifies the observers of a question.
    internal func _sendQuestionAskedToAllObservers(device: ITCB_SDK_Device_Central, question: String) {
        observers.forEach {
            ($0 as? ITCB_Observer_Peripheral_Protocol)?.questionAskedByDevice(device, question: question)
        }
    }

    /// Notifies the observers that an answer is on its way.
    internal func _sendSuccessInSendingAnswerToAllObservers(
        device: ITCB_SDK_Device_Central,
        answer: String,
        toQuestion question: String
    ) {
        observers.forEach {
            ($0 as? ITCB_Observer_Peripheral_Protocol)?
                .answerSentToDevice(device, answer: answer, toQuestion: question)
        }
    }
}
#endif
