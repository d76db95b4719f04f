import CoreBluetooth
import Testbed
import Testing

@testable import ITCB

@Suite("Errors of the SDK")
struct ITCB_SDK_ProtocolTests {
    @Test("has the seed's key for every error")
    func errors() {
        #expect(ITCB_Errors.coreBluetooth(nil).localizedDescription == "ITCB-SDK-ERROR-BLUETOOTH")
        #expect(ITCB_Errors.sendFailed(nil).localizedDescription == "ITCB-SDK-ERROR-SEND-FAILURE")
        #expect(ITCB_Errors.unknown(nil).localizedDescription == "ITCB-SDK-ERROR-UNKNOWN")
    }

    @Test("has the seed's key for every reason")
    func reasons() {
        #expect(ITCB_RejectionReason.deviceOffline.localizedDescription == "ITCB-SDK-REJECT-OFFLINE")
        #expect(ITCB_RejectionReason.deviceBusy.localizedDescription == "ITCB-SDK-REJECT-BUSY")
        #expect(ITCB_RejectionReason.questionPlease.localizedDescription == "ITCB-SDK-REJECT-NO-QUESTION-MARK")
        #expect(ITCB_RejectionReason.peripheralError(nil).localizedDescription == "ITCB-SDK-REJECT-PERIPHERAL-ERROR")
        #expect(ITCB_RejectionReason.unknown(nil).localizedDescription == "ITCB-SDK-REJECT-UNKNOWN")
    }

    @Test("keeps an inner error")
    func associatedValues() {
        let inner = CBATTError(.unlikelyError)
        #expect(ITCB_Errors.coreBluetooth(inner).associatedValue as? CBATTError == inner)
        #expect(ITCB_Errors.sendFailed(inner).associatedValue as? CBATTError == inner)
        #expect(ITCB_Errors.unknown(nil).associatedValue == nil)
        #expect(ITCB_RejectionReason.peripheralError(inner).associatedValue as? CBATTError == inner)
        #expect(ITCB_RejectionReason.unknown(inner).associatedValue as? CBATTError == inner)
        #expect(ITCB_RejectionReason.deviceOffline.associatedValue == nil)
        #expect(ITCB_RejectionReason.deviceBusy.associatedValue == nil)
        #expect(ITCB_RejectionReason.questionPlease.associatedValue == nil)
    }

    @Test("has the seed's UUIDs and range of strength")
    func constants() {
        #expect(_static_ITCB_SDK_8BallServiceUUID.uuidString == "8E38140A-27BE-4090-8955-4FC4B5698D1E")
        #expect(_static_ITCB_SDK_8BallService_Question_UUID.uuidString == "BDD37D7A-F66A-47B9-A49C-FE29FD235A77")
        #expect(_static_ITCB_SDK_8BallService_Answer_UUID.uuidString == "349A0D7B-6215-4E2C-A095-AF078D737445")
        #expect(_static_ITCB_SDK_RSSI_Min == -60)
        #expect(_static_ITCB_SDK_RSSI_Max == -20)
    }

    @Test("publishes a question to write and an answer to read and notify")
    func service() throws {
        let service = ITCB_SDK_Peripheral._makeService()
        #expect(service.isPrimary)
        let question = try #require(service.characteristics?[_static_ITCB_SDK_8BallService_Question_UUID.uuidString])
        let answer = try #require(service.characteristics?[_static_ITCB_SDK_8BallService_Answer_UUID.uuidString])
        #expect(question.properties == [.write])
        #expect(answer.properties == [.read, .notify])
        #expect((question as? CBMutableCharacteristic)?.permissions == [.writeable])
        #expect((answer as? CBMutableCharacteristic)?.permissions == [.readable])
        #expect(question.value == nil)
        #expect(answer.value == nil)
        #expect(service.characteristics?["180D"] == nil)
    }
}
