// The recipe "CryptoKit" of the page "Porting an app".

import Foundation
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

func answer(to challenge: Data, secret: String) -> Data {
    let key = SymmetricKey(data: Data(secret.utf8))
    return Data(HMAC<SHA256>.authenticationCode(for: challenge, using: key))
}
