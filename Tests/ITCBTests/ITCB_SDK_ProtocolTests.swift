import CoreBluetooth
import Testbed
import Testing

@testable import ITCB

@Suite("Errors of the SDK")
struct ITCB_SDK_ProtocolTests {
    @Test("has the seed's key for every error and reason, and keeps an inner error")
    func errors() {
        let inner = CBATTError(.unlikelyError)
        let errors: [(ITCB_Errors, String)] = [
            (.coreBluetooth(inner), "BLUETOOTH"), (.sendFailed(inner), "SEND-FAILURE"), (.unknown(inner), "UNKNOWN"),
        ]
        for (error, key) in errors {
            #expect(error.localizedDescription == "ITCB-SDK-ERROR-" + key)
            #expect(error.associatedValue as? CBATTError == inner)
        }
        let reasons: [(ITCB_RejectionReason, String, CBATTError?)] = [
            (.deviceOffline, "OFFLINE", nil), (.deviceBusy, "BUSY", nil), (.questionPlease, "NO-QUESTION-MARK", nil),
            (.peripheralError(inner), "PERIPHERAL-ERROR", inner), (.unknown(inner), "UNKNOWN", inner),
        ]
        for (reason, key, value) in reasons {
            #expect(reason.localizedDescription == "ITCB-SDK-REJECT-" + key)
            #expect(reason.associatedValue as? CBATTError == value)
        }
    }

    @Test("publishes a question to write and an answer to read and notify under the seed's UUIDs")
    func service() throws {
        let service = ITCB_SDK_Peripheral._makeService()
        #expect(service.isPrimary && service.uuid.uuidString == "8E38140A-27BE-4090-8955-4FC4B5698D1E")
        let question = try #require(service.characteristics?["BDD37D7A-F66A-47B9-A49C-FE29FD235A77"])
        let answer = try #require(service.characteristics?["349A0D7B-6215-4E2C-A095-AF078D737445"])
        #expect(question.properties == [.write])
        #expect(answer.properties == [.read, .notify])
        #expect((question as? CBMutableCharacteristic)?.permissions == [.writeable])
        #expect((answer as? CBMutableCharacteristic)?.permissions == [.readable])
        #expect(question.value == nil && answer.value == nil)
        #expect(service.characteristics?["180D"] == nil)
    }
}
