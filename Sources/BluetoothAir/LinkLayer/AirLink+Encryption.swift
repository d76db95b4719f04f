// The encryption start and pause procedures (Vol 6, Part B, 5.1.3). The central asks; the peripheral's host gives the
// long term key; both derive the session key, and each proves it with its first encrypted packet. Meanwhile the data of
// both hosts and the control PDUs of other procedures wait.
//
//     central:    none ──LE Enable Encryption──▶ requesting ──ENC_RSP──▶ awaitingStart ──START_ENC_REQ──▶ confirming ──▶ none
//                   └─ if encrypted ─▶ pausing ──PAUSE_ENC_RSP──▶ requesting      (START_ENC_RSP ends `confirming`)
//     peripheral: none ──ENC_REQ──▶ awaitingKey ──Long Term Key Reply──▶ awaitingConfirmation ──START_ENC_RSP──▶ none
//                   └─PAUSE_ENC_REQ─▶ paused ──ENC_REQ──▶ awaitingKey ──no key──▶ refused ──▶ the link ends
//
// The comment of each case says what the state waits for. A rejection returns both ends to `none`, and the link stays
// as it was; a link that was encrypted before ends with 0x06 instead, without sending waiting data. A first packet with
// a different key ends the link with 0x3D at both ends.
//
// An end expects encrypted packets as soon as its peer may send them, and encrypts its own once the peer expects it:
// the peripheral receives encrypted packets after its START_ENC_REQ and sends them after the central's START_ENC_RSP.
//
// A peer's host can refuse the key, give a wrong one, or never answer; then the central's response timeout of 40 s, the
// only timer here, ends the link (5.2). A control PDU that does not fit the state is ignored. Random numbers come from
// the controllers' seeded generators.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The state of an end in an encryption procedure.
enum EncryptionProcedure {
    case none
    /// Central: LL_PAUSE_ENC_REQ was sent, so that the old key is no longer used.
    case pausing(LEEnableEncryption)
    /// Central: LL_ENC_REQ was sent.
    case requesting(LEEnableEncryption, SessionPart, isRefresh: Bool)
    /// Central: has the session key; the peripheral's host is asked for its long term key.
    case awaitingStart(SessionKey, isRefresh: Bool)
    /// Central: LL_START_ENC_RSP was sent.
    case confirming(isRefresh: Bool)
    /// Peripheral: LL_PAUSE_ENC_RSP was sent.
    case paused
    /// Peripheral: the host has to give the long term key.
    case awaitingKey(central: SessionPart, peripheral: SessionPart, isRefresh: Bool)
    /// Peripheral: LL_START_ENC_REQ was sent.
    case awaitingConfirmation(SessionKey, isRefresh: Bool)
    /// Peripheral: its host has no key to refresh the encryption, and the link ends.
    case refused
}

extension AirLink {
    // MARK: The central's host

    /// Starts encryption, or refreshes the key, for the central's host.
    func encrypt(_ request: LEEnableEncryption) {
        guard self.central.isEncrypted else { return self.requestEncryption(request, isRefresh: false) }
        self.central.encryption = .pausing(request)
        self.expectResponse(at: self.central)
        self.send(.pauseEncryptionRequest, from: self.central)
    }

    private func requestEncryption(_ request: LEEnableEncryption, isRefresh: Bool) {
        let part = SessionPart(using: &self.central.controller.generator)
        self.central.encryption = .requesting(request, part, isRefresh: isRefresh)
        self.expectResponse(at: self.central)
        self.send(
            .encryptionRequest(random: request.random, diversifier: request.encryptedDiversifier, part: part),
            from: self.central
        )
    }

    // MARK: The peripheral's host

    /// Whether the peripheral's host has to give a key.
    var awaitsKey: Bool {
        if case .awaitingKey = self.peripheral.encryption { return true }
        return false
    }

    /// Continues with the long term key of the peripheral's host.
    func provide(_ longTermKey: Octets16) {
        guard case .awaitingKey(let central, let own, let isRefresh) = self.peripheral.encryption else { return }
        let key = SessionKey(longTermKey: longTermKey, central: central, peripheral: own)
        self.peripheral.encryption = .awaitingConfirmation(key, isRefresh: isRefresh)
        self.peripheral.receiveCipher = key.cipher(fromCentral: true)
        self.send(.startEncryptionRequest, from: self.peripheral)
    }

    /// Rejects encryption because the peripheral's host has no key.
    func refuseKey() {
        guard case .awaitingKey(_, _, let isRefresh) = self.peripheral.encryption else { return }
        // An encrypted link must not continue unencrypted (5.1.3.2), nor send its data in the clear.
        if isRefresh {
            self.peripheral.encryption = .refused
            self.terminate(from: self.peripheral, reason: .pinOrKeyMissing)
        } else {
            self.peripheral.encryption = .none
            self.send(.encryptionReject(.pinOrKeyMissing), from: self.peripheral)
        }
    }

    // MARK: Receiving

    /// Handles a control PDU of encryption at `end`; one that does not fit the state is ignored.
    func receiveEncryption(_ control: LLControlPDU, at end: LinkEnd) {
        switch (control, end.encryption) {
        case (.pauseEncryptionRequest, .none) where end === self.peripheral:
            end.encryption = .paused
            self.send(.pauseEncryptionResponse, from: end)
        case (.pauseEncryptionResponse, .pausing(let request)):
            self.endEncryption(at: end)
            self.send(.pauseEncryptionResponse, from: end)
            self.requestEncryption(request, isRefresh: true)
        case (.pauseEncryptionResponse, .paused):
            self.endEncryption(at: end)
        case (.encryptionRequest(let random, let diversifier, let part), .none) where end === self.peripheral:
            self.askForKey(random, diversifier, part, isRefresh: false)
        case (.encryptionRequest(let random, let diversifier, let part), .paused):
            self.askForKey(random, diversifier, part, isRefresh: true)
        case (.encryptionResponse(let part), .requesting(let request, let own, let isRefresh)):
            let key = SessionKey(longTermKey: request.longTermKey, central: own, peripheral: part)
            end.encryption = .awaitingStart(key, isRefresh: isRefresh)
            self.expectResponse(at: end)
        case (.encryptionReject(let reason), .requesting), (.encryptionReject(let reason), .awaitingStart):
            end.encryption = .none
            self.reportEncryption(at: end, status: reason, isRefresh: false)
            self.wake()
        case (.startEncryptionRequest, .awaitingStart(let key, let isRefresh)):
            end.encryption = .confirming(isRefresh: isRefresh)
            end.receiveCipher = key.cipher(fromCentral: false)
            self.beginEncryption(at: end, with: key.cipher(fromCentral: true))
            self.send(.startEncryptionResponse, from: end)
        case (.startEncryptionResponse, .awaitingConfirmation(let key, let isRefresh)):
            self.beginEncryption(at: end, with: key.cipher(fromCentral: false))
            self.send(.startEncryptionResponse, from: end)
            self.finishEncryption(at: end, isRefresh: isRefresh)
        case (.startEncryptionResponse, .confirming(let isRefresh)):
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

    /// Encrypts what an end sends from now on, and starts its timer for authenticated payloads.
    private func beginEncryption(at end: LinkEnd, with cipher: PacketCipher) {
        end.transmitCipher = cipher
        self.startPayloadTimer(at: end)
        self.refreshPaths()
    }

    /// Stops encrypting until there is a new key.
    private func endEncryption(at end: LinkEnd) {
        end.transmitCipher = nil
        end.receiveCipher = nil
        end.payloadTimer.cancel()
        self.refreshPaths()
    }

    private func reportEncryption(at end: LinkEnd, status: HCIErrorCode, isRefresh: Bool) {
        guard !isRefresh else {
            return end.controller.emit(EncryptionKeyRefreshComplete(status: status, handle: end.handle))
        }
        let state: EncryptionStatus = end.isEncrypted ? .on : .off
        // The second version replaces the first if the host wants it (7.7.8).
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
