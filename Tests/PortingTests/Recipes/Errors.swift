// The recipe "catch let error as NSError" of the page "Porting an app".

import CoreBluetooth

func outcome(of step: () throws -> Void) -> String {
    do {
        try step()
        return "done"
    } catch CBATTError.insufficientAuthentication {
        return "pair first"
    } catch {
        let error = error as NSError
        return "\(error.domain) \(error.code)"
    }
}
