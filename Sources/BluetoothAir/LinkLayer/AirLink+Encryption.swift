// Setting up encryption, and setting it up again (Vol 6, Part B, 5.1.3). The central asks; the peripheral's host gives the
// long term key; both derive the session key, and each proves it with the first encrypted packet. While this goes on,
// data of both hosts waits.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// What the central's host asked for.
struct EncryptionWish {
    var random: UInt64
    var diversifier: UInt16
    var longTermKey: Octets16
}

/// Where an end stands in setting up encryption.
enum EncryptionProcedure {
    case none
    /// Central: the old key is given up.
    case pausing(EncryptionWish)
    /// Central: LL_ENC_REQ is on its way.
    case requesting(EncryptionWish, SessionPart, isRefresh: Bool)
    /// Central: the key is there, the peripheral's host is asked for its own.
    case awaitingStart(SessionKey, isRefresh: Bool)
    /// Central: LL_START_ENC_RSP is on its way.
    case confirming(SessionKey, isRefresh: Bool)
    /// Peripheral: the old key is given up.
    case paused
    /// Peripheral: the host has to give the long term key.
    case awaitingKey(central: SessionPart, peripheral: SessionPart, isRefresh: Bool)
    /// Peripheral: LL_START_ENC_REQ is on its way.
    case awaitingConfirmation(SessionKey, isRefresh: Bool)
}

extension AirLink {
    // MARK: The central's host

    /// The central's host wants the link encrypted, or encrypted anew.
    func encrypt(_ wish: EncryptionWish) {
        guard self.central.isEncrypted else { return self.requestEncryption(wish, isRefresh: false) }
        self.central.encryption = .pausing(wish)
        self.expectResponse(at: self.central)
        self.send(.pauseEncryptionRequest, from: self.central)
    }

    private func requestEncryption(_ wish: EncryptionWish, isRefresh: Bool) {
        let part = SessionPart(using: &self.central.controller.generator)
        self.central.encryption = .requesting(wish, part, isRefresh: isRefresh)
        self.expectResponse(at: self.central)
        self.send(
            .encryptionRequest(random: wish.random, diversifier: wish.diversifier, part: part),
            from: self.central
        )
    }

    // MARK: The peripheral's host

    /// Whether the peripheral's host is asked for a key.
    var awaitsKey: Bool {
        if case .awaitingKey = self.peripheral.encryption { return true }
        return false
    }

    /// The peripheral's host has given its long term key.
    func provide(_ longTermKey: Octets16) {
        guard case .awaitingKey(let central, let own, let isRefresh) = self.peripheral.encryption else { return }
        let key = SessionKey(longTermKey: longTermKey, central: central, peripheral: own)
        self.peripheral.encryption = .awaitingConfirmation(key, isRefresh: isRefresh)
        self.send(.startEncryptionRequest, from: self.peripheral)
    }

    /// The peripheral's host has no key.
    func refuseKey() {
        guard case .awaitingKey(_, _, let isRefresh) = self.peripheral.encryption else { return }
        self.peripheral.encryption = .none
        // A link that was encrypted must not go on without (5.1.3.2).
        if isRefresh {
            self.peripheral.terminationReason = .pinOrKeyMissing
            self.peripheral.isTerminating = true
            self.wake()
        } else {
            self.send(.encryptionReject(.pinOrKeyMissing), from: self.peripheral)
        }
    }

    // MARK: Receiving

    /// Takes a control PDU of encryption at `end`; one that does not fit is ignored.
    func receiveEncryption(_ control: LLControlPDU, at end: LinkEnd) {
        switch (control, end.encryption) {
        case (.pauseEncryptionRequest, .none) where end === self.peripheral:
            end.encryption = .paused
            self.send(.pauseEncryptionResponse, from: end)
        case (.pauseEncryptionResponse, .pausing(let wish)):
            end.isEncrypted = false
            self.send(.pauseEncryptionResponse, from: end)
            self.requestEncryption(wish, isRefresh: true)
        case (.pauseEncryptionResponse, .paused):
            end.isEncrypted = false
        case (.encryptionRequest(let random, let diversifier, let part), .none) where end === self.peripheral:
            self.askForKey(random, diversifier, part, isRefresh: false)
        case (.encryptionRequest(let random, let diversifier, let part), .paused):
            self.askForKey(random, diversifier, part, isRefresh: true)
        case (.encryptionResponse(let part), .requesting(let wish, let own, let isRefresh)):
            let key = SessionKey(longTermKey: wish.longTermKey, central: own, peripheral: part)
            end.encryption = .awaitingStart(key, isRefresh: isRefresh)
            self.expectResponse(at: end)
        case (.encryptionReject(let reason), .requesting), (.encryptionReject(let reason), .awaitingStart):
            end.encryption = .none
            self.reportEncryption(at: end, status: reason, isRefresh: false)
            self.wake()
        case (.startEncryptionRequest, .awaitingStart(let key, let isRefresh)):
            end.encryption = .confirming(key, isRefresh: isRefresh)
            end.isEncrypted = true
            self.send(.startEncryptionResponse(code: key.startResponse(fromCentral: true).code), from: end)
        case (.startEncryptionResponse(let code), .awaitingConfirmation(let key, let isRefresh)):
            guard code == key.startResponse(fromCentral: true).code else { return self.endForWrongKey() }
            end.isEncrypted = true
            self.send(.startEncryptionResponse(code: key.startResponse(fromCentral: false).code), from: end)
            self.finishEncryption(at: end, isRefresh: isRefresh)
        case (.startEncryptionResponse(let code), .confirming(let key, let isRefresh)):
            guard code == key.startResponse(fromCentral: false).code else { return self.endForWrongKey() }
            self.finishEncryption(at: end, isRefresh: isRefresh)
        default:
            break
        }
    }

    private func askForKey(_ random: UInt64, _ diversifier: UInt16, _ part: SessionPart, isRefresh: Bool) {
        let end = self.peripheral
        let own = SessionPart(using: &end.controller.generator)
        end.encryption = .awaitingKey(central: part, peripheral: own, isRefresh: isRefresh)
        self.send(.encryptionResponse(own), from: end)
        guard end.controller.wants(.longTermKeyRequest) else { return self.refuseKey() }
        end.controller.emit(
            LELongTermKeyRequest(handle: end.handle, random: random, encryptedDiversifier: diversifier)
        )
    }

    private func finishEncryption(at end: LinkEnd, isRefresh: Bool) {
        end.encryption = .none
        self.reportEncryption(at: end, status: .success, isRefresh: isRefresh)
        self.wake()
    }

    private func endForWrongKey() {
        self.end(central: .connectionTerminatedMICFailure, peripheral: .connectionTerminatedMICFailure)
    }

    private func reportEncryption(at end: LinkEnd, status: HCIErrorCode, isRefresh: Bool) {
        guard !isRefresh else {
            return end.controller.emit(EncryptionKeyRefreshComplete(status: status, handle: end.handle))
        }
        let state: EncryptionStatus = end.isEncrypted ? .on : .off
        // The second version takes the place of the first where the host wants it (7.7.8).
        if end.controller.settings.eventMaskPage2.contains(.encryptionChangeV2) {
            end.controller.emit(
                EncryptionChangeV2(
                    status: status,
                    handle: end.handle,
                    encryption: state,
                    keySize: end.isEncrypted ? 16 : 0
                )
            )
        } else {
            end.controller.emit(EncryptionChange(status: status, handle: end.handle, encryption: state))
        }
    }
}
